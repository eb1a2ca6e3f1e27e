# Runs Debian's mhonarc with the filter, and compares the pages with what MHonArc makes without it.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

my $here = abs_path(dirname(__FILE__));
my ($mhonarc) = grep { -x } map { "$_/mhonarc" } split /:/, $ENV{PATH};
plan skip_all => 'mhonarc is not installed' unless $mhonarc;
my $dir = tempdir(CLEANUP => 1);
$ENV{PERL5LIB} = join ':', $here, "$here/../../perl/lib", $ENV{PERL5LIB} // ();

sub put {
    my ($name, $text) = @_;
    open my $file, '>:raw', "$dir/$name" or die "$name: $!";
    print $file $text;
    close $file or die;
}

# Returns the pages of the messages, as HTML between the marks of the body.
sub pages {
    my ($name, @options) = @_;
    my $out = "$dir/out" . ++our $number;
    mkdir $out or die;
    my $messages = `'$mhonarc' -quiet @options -outdir '$out' '$dir/$name' 2>&1`;
    is $? >> 8, 0, 'mhonarc succeeds';
    is $messages, '', 'without a warning';
    return map {
        open my $file, '<:raw', $_ or die;
        my $page = do { local $/; <$file> };
        $page =~ /<!--X-Body-of-Message-->\n(.*)<!--X-Body-of-Message-End-->/s ? $1 : die "no body: $page";
    } sort glob "$out/msg*.html";
}

my $rc = "-rcfile '$here/urlspool.mrc'";

# Returns a message with these fields and this body.
sub mail {
    my ($fields, $body) = @_;
    our $id++;
    return "From a\@b Mon Jan  5 10:00:00 1998\nFrom: Ann <ann\@example.org>\nMessage-ID: <$id\@example.org>\n"
        . "Date: Mon, 5 Jan 1998 12:00:${\sprintf '%02d', $id} +0200\nSubject: x\n$fields\n$body\n";
}

sub link_to {
    my ($href, $text) = @_;
    return qq(<a  rel="nofollow" href="$href">$text</a>);
}

# Each case has a name, the fields and the body of a message, and the HTML that must be on the page.
my @cases = (
    ['wrapped in a quotation', '', "> See <URL:http://a.example/a/\n> b.html?x&y>.",
        '&gt; See &lt;URL:' . link_to('http://a.example/a/b.html?x&amp;y', 'http://a.example/a/') . "\n&gt; "
            . link_to('http://a.example/a/b.html?x&amp;y', 'b.html?x&amp;y') . '&gt;.'],
    ['a quotation mark ends a URL', '', '"http://a.example/x" and [mailto:b@a.example]On',
        '&quot;' . link_to('http://a.example/x', 'http://a.example/x') . '&quot; and ['
            . link_to('mailto:b@a.example', 'mailto:b@a.example') . ']On'],
    ['no link runs code', '', '<javascript:alert(1)> http://a.example/',
        '&lt;javascript:alert(1)&gt; ' . link_to('http://a.example/', 'http://a.example/')],
    ['control characters cannot forge a link', '', "\x020\x02x\x03 http://a.example/ \x020\x02y\x03",
        '0x ' . link_to('http://a.example/', 'http://a.example/') . ' 0y'],
    ['Latin-1', "MIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n",
        "=E9t=E9 <http://a.example/=\nx> =E9", '&#xE9;t&#xE9; &lt;' . link_to('http://a.example/x', 'http://a.example/x') . '&gt; &#xE9;'],
    ['UTF-8', "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n",
        "\xE2\x82\xAC http://b\xC3\xBCcher.example/", '&#x20AC; ' . link_to('http://b&#xFC;cher.example/', 'http://b&#xFC;cher.example/')],
    ['ISO-2022-JP', "MIME-Version: 1.0\nContent-Type: text/plain; charset=iso-2022-jp\n",
        "\e\$B\$3\e(Bhttp://a.example/\e\$B\$3\e(B", link_to('http://a.example/', 'http://a.example/')],
    ['format=flowed', "MIME-Version: 1.0\nContent-Type: text/plain; format=flowed; delsp=yes\n",
        "> See http://a.example/one/ \n> two.html\n\nOn http://b.example/ \nit is.",
        link_to('http://a.example/one/two.html', 'http://a.example/one/'), link_to('http://a.example/one/two.html', 'two.html'),
        link_to('http://b.example/it', 'http://b.example/')],
    ['blanks in a line', '', '<URL:http://a.example/b c d>', '&lt;URL:' . link_to('http://a.example/bcd', 'http://a.example/b c d') . '&gt;'],
    ['no URL', '', 'R&D <none>', 'R&amp;D &lt;none&gt;'],
);
put('box', join '', map { mail($_->[1], "$_->[2]\n") } @cases);
my @pages = pages('box', $rc);
my @before = pages('box');
is scalar(@pages), scalar(@cases), 'a page for each message';
for (0 .. $#cases) {
    my ($name, undef, undef, @wanted) = @{$cases[$_]};
    ok index($pages[$_], $_[0] // '') >= 0, $name;
    for my $wanted (@wanted) { cmp_ok index($pages[$_], $wanted), '>=', 0, "$name: $wanted" or diag $pages[$_] }
    unlike $pages[$_], qr/[\x02\x03]/, "$name: no mark is left";
    my ($with, $without) = map { s/<a  rel[^>]*>|<\/a>|[\x02\x03]//gr } $pages[$_], $before[$_];
    is $with, $without, "$name: the text is that of MHonArc";
}

# The arguments of MHonArc's own filter.
my $text = "> http://a.example/a/b\n> and ftp://b.example/ are here and there and everywhere you want\n";
my $encoded = "begin 644 x.txt\n" . pack('u', "http://c.example/") . "`\nend\n";
put('one', mail('', $text . $encoded));
for (
    ['nourl', []],
    ['link=ftp', ['ftp://b.example/']],
    ['nolink="ftp,gopher"', ['http://a.example/a/b']],
    ['target=_top', ['http://a.example/a/b', 'ftp://b.example/'], qr/<a target="_top" rel/],
    ['maxwidth=40', ['http://a.example/a/b', 'ftp://b.example/'], qr/ are here and \n&gt; there and everywhere/],
    ['fancyquote', ['http://a.example/a/b', 'ftp://b.example/'], qr/<blockquote/],
    ['quote nonfixed keepspace', ['http://a.example/a/b', 'ftp://b.example/'], qr/&nbsp;/],
    ['uudecode', ['http://a.example/a/b', 'ftp://b.example/'], qr/<a href="bin\w+\.bin">|<a href="\w+\.txt">/],
) {
    my ($arguments, $hrefs, $wanted) = @$_;
    put('arguments.mrc', "<MIMEArgs>\ntext/plain; $arguments\n</MIMEArgs>\n");
    my ($page) = pages('one', $rc, "-rcfile '$dir/arguments.mrc'");
    is_deeply [$page =~ /rel="nofollow" href="([^"]*)"/g], $hrefs, "$arguments: the links";
    like $page, $wanted, "$arguments: the page" if $wanted;
    my ($without) = pages('one', "-rcfile '$dir/arguments.mrc'");
    s/<a [^>]*rel="nofollow"[^>]*>|<a href[^>]*>|<\/a>//g for $page, $without;
    is $page, $without, "$arguments: the text is that of MHonArc";
}

done_testing;
