# Tests searches of files and directories: functions that die or leave, problems, the end of objects, processes,
# threads.
use strict;
use warnings;
use Config;
use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use Test::More;
use URL::Spool;

# The tests change the directory, and start other programs.
my @include = map { my $path = ref($_) ? undef : abs_path($_); defined $path ? "-I$path" : () } @INC;
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die;

sub put {
    my ($name, $text) = @_;
    open my $file, '>:raw', $name or die "$name: $!";
    print $file $text;
    close $file or die;
}

my $separator = "From a\@b Mon Jan  1 00:00:00 2001\n";
my $many = 1000;
put('box', join '', map { "${separator}Date: Thu, 1 Jan 1970 00:00:$_ +0000\n\nhttp://$_.example/\n\n" } '10' .. '59');
put('large', join '', map { "${separator}To: a\n\nhttp://a$_.example/\n\n" } 1 .. $many);
put('cut.gz', "\x1F\x8B\x08\0\0\0\0\0\0\x03\0\x05\0\xFA\xFFhttp:");

my $spool = URL::Spool->new;

subtest 'one at a time' => sub {
    my $hits = $spool->paths('box');
    my $first = $hits->next;
    is $first->{url}, 'http://10.example/', 'the first';
    is "$first->{file} $first->{message} $first->{line}", 'box 1 4', 'its place';
    is scalar(my @rest = $hits->all), 49, 'all others';
    is $hits->next, undef, 'the end';
    is $hits->next, undef, 'still the end';
    is_deeply [$hits->problems], [], 'no problem';
    is scalar(my @none = $spool->paths->all), 0, 'no path, no hit';
};

subtest 'problems do not end the search' => sub {
    my $hits = $spool->paths('missing', 'cut.gz', 'box');
    is scalar(my @hits = $hits->all), 50, 'the hits of the other file';
    my ($missing, $cut) = $hits->problems;
    is_deeply [@$missing{qw(kind path count)}], ['open', 'missing', 1], 'a missing file';
    { local $! = $missing->{os_error}; ok $!{ENOENT}, 'its error' }
    is_deeply [@$cut{qw(kind path os_error)}], ['incomplete', 'cut.gz', undef], 'a truncated file';
    like $cut->{text}, qr/^cut\.gz: .*truncated/, 'its text';
    my @seen;
    $hits = URL::Spool->new(problem => sub { push @seen, $_[0]{path} })->paths('missing', 'box', sub { push @seen, 1 });
    is $seen[0], 'missing', 'a function gets the problem as it occurs';
    is scalar(@seen), 51, 'and the search continues';
    is_deeply [$hits->problems], [], 'the problem is not stored';
    $hits = URL::Spool->new(problem => sub { $hits->stop })->paths('missing', 'box');
    is $hits->next, undef, 'the function stops the search';
};

for my $threads (0, 2) {
    my $spool = URL::Spool->new(threads => $threads);
    subtest "functions that leave, threads $threads" => sub {
        my @urls;
        $spool->paths('box', sub { push @urls, $_[0]{url} });
        is scalar(@urls), 50, 'a function gets each hit';
        my $count = 0;
        $spool->paths('large', sub { my ($hit, $hits) = @_; $hits->stop if ++$count == 3 });
        is $count, 3, 'stop';
        for my $round (1 .. 20) {
            $count = 0;
            my $lived = eval { $spool->paths('large', sub { die {round => $round} if ++$count == 5 }); 1 };
            ok !$lived && $@->{round} == $round && $count == 5, "the exception of round $round" or last;
        }
        ok !eval { URL::Spool->new(problem => sub { die "problem\n" })->paths('missing')->all }, 'the problem function dies';
        is $@, "problem\n", 'its exception';
        my $seen = 0;
        LOOP: for (1) {
            no warnings 'exiting';
            $spool->paths('large', sub { $seen++; last LOOP });
            fail 'the loop goes on';
        }
        is $seen, 1, 'last leaves the function';
        my $nested = 0;
        $spool->paths('box', sub { $nested += () = $spool->links($_[0]{url}) });
        is $nested, 50, 'a function can search';
        is scalar(my @after = $spool->paths('box')->all), 50, 'the library is sound afterwards';
    };
    subtest "objects that are dropped, threads $threads" => sub {
        for (1 .. 20) {
            my $hits = $spool->paths('large');
            $hits->next;
        }
        my $hits = do { my $other = URL::Spool->new(threads => $threads); $other->paths('large') };
        is scalar(my @all = $hits->all), $many, 'a search outlives its URL::Spool';
        my @both = map { $spool->paths('box') } 1, 2;
        is_deeply $both[0]->next, $both[1]->next, 'two searches at once' for 1 .. 3;
    };
    # The program must end while a search of the library is unfinished, with its own exit status.
    for my $end ('exit 7', '$! = 0; die "x\n"', '$hits->stop; exit 7', 'POSIX::_exit(7)') {
        my $code = "use URL::Spool; use POSIX (); our \$hits = URL::Spool->new(threads => $threads)->paths('large');
            \$hits->next; \$hits = URL::Spool->new(threads => $threads)->paths('large', sub { $end });";
        my $status = system $^X, @include, '-e', "open STDERR, '>', '/dev/null'; \$! = 0; $code";
        is $status >> 8, $end =~ /die/ ? 255 : 7, "$end, threads $threads: the status";
        is $status & 255, 0, 'no signal';
    }
}

subtest 'options' => sub {
    my $count = sub { my $path = pop; scalar(my @hits = URL::Spool->new(@_)->paths($path)->all) };
    is $count->(since => '@20', 'box'), 40, 'since';
    is $count->(until => '@19', 'box'), 10, 'until';
    is $count->(since => '@20', until => '@29', 'box'), 10, 'both';
    is $count->(since => '@0', 'box'), 50, 'since the beginning';
    is $count->(until => 1969, 'box'), 0, 'until the beginning';
    is $count->(since => 1970, 'large'), 1000, 'messages with the date of their envelope';
    is $count->(format => 'mbox', 'box'), 50, 'a format';
    ok !eval { $count->(format => 'mbxx', 'box') }, 'an unknown format';
    like $@, qr/^invalid value "mbxx" for the option format: give one of auto.* at \Q$0\E line /, 'its exception';
    mkdir 'folder' or die;
    symlink '../box', 'folder/link' or die;
    is $count->('folder'), 0, 'links in directories are skipped';
    is $count->(follow => 1, 'folder'), 50, 'links are followed';
};

subtest 'the library is missing' => sub {
    put('load.pl', <<'END');
BEGIN { open STDERR, '>&', STDOUT or die }
use FFI::CheckLib ();
BEGIN { no warnings 'redefine'; *FFI::CheckLib::find_lib = sub { undef } }
use URL::Spool;
END
    for (['', qr/^URL::Spool: liburlspool was not found; set URLSPOOL_LIBRARY to its path, or /],
        ["$dir/none.so", qr/^URL::Spool: liburlspool was not found at \Q$dir\E.none\.so; set URLSPOOL_LIBRARY to/]) {
        local $ENV{URLSPOOL_LIBRARY} = $_->[0];
        open my $output, '-|', $^X, @include, 'load.pl' or die "$^X: $!";
        like scalar(<$output>), $_->[1], "the first line, with URLSPOOL_LIBRARY '$_->[0]'";
        my @rest = <$output>;
        ok !close $output, 'the program fails';
    }
};

subtest 'names are bytes' => sub {
    put("\xE9", "http://a.example/\n");
    my $name = "\xE9";
    utf8::upgrade($name);
    is_deeply [map { $_->{file} } $spool->paths($name)->all], ["\xE9"], 'a name that is not UTF-8';
};

subtest 'processes' => sub {
    my $hits = URL::Spool->new(threads => 2)->paths('large');
    $hits->next;
    my $child = fork // die;
    if (!$child) {
        my $ok = !eval { $hits->next; 1 } && $@ =~ /before a fork/ && $spool->urls('http://a.example/') == 1;
        exit !$ok;
    }
    waitpid $child, 0;
    is $?, 0, 'a child cannot continue a search, and can begin one';
    is scalar(my @rest = $hits->all), $many - 1, 'the parent continues';
};

SKIP: {
    skip 'this perl has no threads', 1 unless $Config{useithreads};
    require threads;
    my $hits = $spool->paths('large');
    my @counts = map { $_->join } map {
        threads->create(sub {
            undef $hits;
            my $found = 0;
            $found += () = $spool->paths('box')->all for 1 .. 5;
            return $found;
        })
    } 1 .. 4;
    is_deeply \@counts, [(250) x 4], 'Perl threads share a URL::Spool';
    is scalar(my @all = $hits->all), $many, 'and do not free a search of their parent';
}

done_testing;
