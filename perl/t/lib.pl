# Functions for the tests. They find the repository and the command, if the tests run in a checkout.
use strict;
use warnings;
use Cwd ();
use File::Basename ();

sub root {
    my $root = Cwd::abs_path(File::Basename::dirname(__FILE__) . '/../..');
    return -d "$root/corpus/mail" ? $root : undef;
}

# The path of the command, from the environment.
sub command { return $ENV{URLSPOOL} }

sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!";
    local $/;
    return scalar <$file>;
}

1;
