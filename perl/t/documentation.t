# Checks the documentation: its syntax, its lists of methods, options and fields, and its first example. Checks the list
# of files, too.
use strict;
use warnings;
use Cwd qw(getcwd);
use ExtUtils::Manifest ();
use File::Temp qw(tempdir);
use Pod::Checker ();
use Test::More;
use URL::Spool;

require './t/lib.pl';

my $source = 'lib/URL/Spool.pm';
open my $sink, '>', \my $complaints or die;
my $checker = Pod::Checker->new(-warnings => 1);
$checker->parse_from_file($source, $sink);
is $checker->num_errors, 0, 'no error in the documentation' or diag $complaints;
is $checker->num_warnings, 0, 'no warning' or diag $complaints;

my $text = slurp($source);
for my $class (qw(URL::Spool URL::Spool::Hits)) {
    no strict 'refs';
    for my $method (grep { /\A[a-z]/ && defined &{"${class}::$_"} } sort keys %{"${class}::"}) {
        next if $method =~ /\A(?:croak|blessed|import|reftype|scalar_to_buffer)\z/;
        like $text, $method eq 'escape' ? qr/URL::Spool::escape\(/ : qr/^=head2 \Q$method\E$/m, "$method is documented";
    }
}
my ($hit) = URL::Spool->new->message("\nhttp://a.example/\n");
my ($fields) = $text =~ /^=head1 HITS\n(.*?)^=head1 THE LIBRARY/ms;
my %documented = map { $_ => 1 } map { split /, / } $fields =~ /^=item (.*)$/mg;
is_deeply [sort keys %documented], [sort keys %$hit], 'the fields of a hit are documented';
my ($options) = $text =~ /^=head2 new\n(.*?)^=head2 option_set/ms;
my %option = map { $_ => 1 } map { split /, / } $options =~ /^=item (.*)$/mg;
eval { URL::Spool->new('' => 1) };
my ($known) = $@ =~ /the options are (.*) at /;
my @known = sort 'problem', split /, /, $known =~ tr/-/_/r;
is_deeply [sort keys %option], \@known, 'the options are documented';

SKIP: {
    skip 'there is no MANIFEST', 1 unless -e 'MANIFEST';
    my ($missing) = ExtUtils::Manifest::manicheck();
    is $missing, undef, 'all files of the MANIFEST exist';
}

# Runs a program in a directory. Returns its output.
sub output {
    my ($program, $dir, $name) = @_;
    my ($output, @warnings) = ('');
    my $here = getcwd();
    chdir $dir or die;
    open my $captured, '>', \$output or die;
    my $before = select $captured;
    local $SIG{__WARN__} = sub { push @warnings, @_ };
    my $done = eval "$program; 1";
    my $error = $@;
    select $before;
    chdir $here or die;
    ok $done, "$name runs" or diag $error;
    is_deeply \@warnings, [], "$name has no warnings";
    return $output;
}

my ($example) = $text =~ /^=head1 SYNOPSIS\n\n(.*?)\n=head1/ms;
my $dir = tempdir(CLEANUP => 1);
mkdir "$dir/Maildir" or die;
open my $file, '>', "$dir/archive.mbox" or die;
print $file "From a\@b Mon Jan  1 00:00:00 2001\nTo: a\n\nhttp://c.example/\n";
close $file or die;
is output("my \$bytes = qq(Subject: x\\n\\nhttp://b.example/\\n); $example", $dir, 'the first example'),
    "http://www.example.org/a/b.html\n3: http://b.example/\narchive.mbox:4: http://c.example/\n"
    . 'R&amp;D: <a href="http://www.example.org/?a&amp;b">http://www.example.org/?a&amp;b</a>', 'its output';

SKIP: {
    my $root = root() or skip 'the guide is not here', 1;
    my $guide = slurp("$root/docs/guide.md");
    my ($program, $prints) = $guide =~ /^```perl\n(.*?)^```\n\nThis program prints:\n\n```text\n(.*?)^```/ms
        or die 'the guide has no example in Perl';
    is output($program, $root, 'the example of the guide'), $prints, 'its output';
}

done_testing;
