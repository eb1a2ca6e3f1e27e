# The command, its man page and completions. The version is the one in Cargo.toml.
{ lib, rustPlatform, installShellFiles }:
let
  manifest = builtins.fromTOML (builtins.readFile ../../Cargo.toml);
in
rustPlatform.buildRustPackage {
  pname = "urlspool";
  version = manifest.workspace.package.version;
  src = ../..;
  cargoLock.lockFile = ../../Cargo.lock;

  buildAndTestSubdir = "cli";
  buildFeatures = [ "parquet" ];
  # The tests need sendmail, git and browsers in fixed places.
  doCheck = false;

  nativeBuildInputs = [ installShellFiles ];
  postInstall = ''
    $out/bin/urlspool --generate man >urlspool.1
    installManPage urlspool.1
    for shell in bash zsh fish; do
      $out/bin/urlspool --generate $shell >urlspool.$shell
    done
    installShellCompletion urlspool.{bash,zsh,fish}
  '';

  meta = {
    description = "Finds the URLs in mail and news archives";
    homepage = "https://github.com/urlspool/urlspool";
    license = [ lib.licenses.mit lib.licenses.asl20 ];
    mainProgram = "urlspool";
  };
}
