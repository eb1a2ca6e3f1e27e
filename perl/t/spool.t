# Tests searches of texts and messages, options, and links in HTML.
use strict;
use warnings;
use utf8;
use Test::More;
use URL::Spool;

require './t/lib.pl';
my $spool = URL::Spool->new;

sub croaks {
    my ($code, $want, $name) = @_;
    eval { $code->(); 1 } and return fail "$name: nothing was thrown";
    like $@, $want, $name;
    like $@, qr/ at \Q$0\E line /, "$name: the exception names the caller";
}

subtest 'a text' => sub {
    is_deeply [$spool->urls('')], [], 'empty';
    is_deeply [$spool->urls("See <URL:http://a.example/x\n  y.html> and ftp://b.example/.")],
        ['http://a.example/xy.html', 'ftp://b.example/'], 'rejoined, without punctuation';
    is_deeply [$spool->urls("http://a.example/\0http://b.example/")], ['http://a.example/', 'http://b.example/'], 'a NUL';
    is scalar(my @none = $spool->links('no URL')), 0, 'no URL';
    my $text = "été € <http://bücher.example/a\n😀 http://c.example/";
    my ($first, $second) = $spool->links($text);
    is $second->{url}, 'http://c.example/', 'the URL after wide characters';
    is substr($text, $second->{offset}, $second->{length}), $second->{url}, 'its place is in characters';
    is $first->{url}, 'http://bücher.example/a', 'a URL has characters';
    is $first->{tier}, 'iri', 'its tier';
};

subtest 'the flag of a string does not matter' => sub {
    my $flagged = "caf\xE9 http://a.example/\xE9 x";
    my $plain = $flagged;
    utf8::upgrade($flagged);
    utf8::downgrade($plain);
    is_deeply [$spool->links($flagged)], [$spool->links($plain)], 'a text';
    is_deeply [$spool->message("\n$flagged")], [$spool->message("\n$plain")], 'a message';
    my $copy = $flagged;
    $spool->message("$flagged\n\n"), $spool->links($flagged);
    ok utf8::is_utf8($flagged) && $flagged eq $copy, 'the argument does not change';
};

subtest 'every piece of a URL has its place' => sub {
    my $text = "> \x{20AC} <http://a.example/one/\n> two/\n> three> end";
    my ($link) = $spool->links($text);
    is $link->{url}, 'http://a.example/one/two/three', 'the URL';
    is_deeply [map { substr $text, $_->[0], $_->[1] } @{$link->{pieces}}], ['http://a.example/one/', 'two/', 'three'],
        'its pieces, without the quote marks';
    is $link->{quote_depth}, 1, 'the quote depth';
};

subtest 'characters that UTF-8 cannot have' => sub {
    no warnings qw(surrogate nonchar non_unicode);
    my $text = chr(0xD800) . ' http://a.example/ ' . chr(0x110000) . ' http://b.example/';
    for my $link ($spool->links($text)) {
        is substr($text, $link->{offset}, $link->{length}), $link->{url}, $link->{url};
    }
    is scalar(my @both = $spool->links($text)), 2, 'both are found';
};

subtest 'an object that is a string' => sub {
    my $path = bless ["\x{20AC} http://a.example/"], 'Local::String';
    is_deeply [$spool->urls($path)], ["http://a.example/"], 'a text';
    like $spool->linkify($path), qr/<a href="http:/, 'as HTML';
};

{
    package Local::String;
    use overload '""' => sub { $_[0][0] };
}

subtest 'a message' => sub {
    my $message = join "\r\n", 'Subject: http://h.example/', 'Message-ID: <1@a>', 'Date: Thu, 1 Jan 1970 00:01:00 +0000',
        'Content-Type: text/plain; charset=iso-8859-1', 'Content-Transfer-Encoding: quoted-printable', '',
        '> <http://a.example/=78=', 'b> =E9', '';
    my ($in_header, $hit) = $spool->message($message);
    is $in_header->{header}, 'Subject', 'the header';
    is_deeply [map { $_->{url} } $in_header, $hit], ['http://h.example/', 'http://a.example/xb'], 'the URLs';
    is $hit->{message_id}, '1@a', 'the Message-ID';
    is $hit->{date}, 60, 'the date';
    is $hit->{part}, '1', 'the part';
    is $hit->{line}, 7, 'the line';
    is substr($message, $hit->{offset}, $hit->{length}), "http://a.example/=78=\r\nb", 'the place';
    is $hit->{file}, undef, 'it is in no file';
    is_deeply [$spool->urls(\$message)], ['http://h.example/', 'http://a.example/xb'], 'a reference to a message';
    is_deeply [$spool->message('')], [], 'an empty message';
    is_deeply [$spool->urls(bless {}, 'Local::Email')], ['http://mail.example/'], 'an object';
    my ($bytes) = $spool->message("Message-ID: <\xFF\@a>\n\nhttp://a.example/\n");
    is $bytes->{message_id}, "\xFF\@a", 'bytes that are not UTF-8';
};

sub Local::Email::as_string { return "Subject: x\n\nhttp://mail.example/\n" }

subtest 'what cannot be searched' => sub {
    croaks(sub { $spool->message("\x{20AC}") }, qr/^a message must be bytes, but it has wide characters; encode it/, 'wide');
    croaks(sub { $spool->message(undef) }, qr/^a message is undefined/, 'an undefined message');
    croaks(sub { $spool->message([]) }, qr/^a message must be a string, not a reference to ARRAY/, 'a reference as message');
    croaks(sub { $spool->message }, qr/^message takes one argument/, 'no message');
    croaks(sub { $spool->links(undef) }, qr/^a text is undefined/, 'an undefined text');
    croaks(sub { $spool->urls(undef) }, qr/^a text is undefined/, 'undefined');
    croaks(sub { $spool->urls({}) }, qr/^a text must be a string, not a reference to HASH/, 'a hash');
    croaks(sub { $spool->urls(bless [], 'Local::Other') }, qr/^a text must be a string, not a reference to ARRAY/, 'an object');
    croaks(sub { URL::Spool->$_('x') }, qr/^$_ is a method/, "$_ on the class") for qw(urls message paths links linkify);
    croaks(sub { URL::Spool::urls('x') }, qr/^urls is a method/, 'urls as a function');
    croaks(sub { URL::Spool->import('urls') }, qr/^URL::Spool does not export 'urls'; call/, 'an import');
    croaks(sub { $spool->urls }, qr/^urls takes one argument/, 'nothing');
    croaks(sub { $spool->linkify('x', target => 1) }, qr/^unknown option 'target' of linkify/, 'an option of linkify');
    croaks(sub { $spool->linkify(undef) }, qr/^a text is undefined/, 'an undefined text as HTML');
    croaks(sub { $spool->paths("\x{20AC}") }, qr/^a path must be bytes, but it has wide characters/, 'a wide path');
    croaks(sub { $spool->paths(undef) }, qr/^a path is undefined/, 'an undefined path');
    URL::Spool->new(host => 'a.example', join => 'never');
    croaks(sub { URL::Spool->new(host => "a.example\0join\0never") }, qr/^invalid option host; the value contains a NUL/, 'a NUL');
    croaks(sub { $spool->paths("a\0b") }, qr/^a path contains a NUL/, 'a path with NUL');
};

subtest 'options' => sub {
    my $broken = "http://a.example/long/long/long/long/long/long/long/long/long/long/xx-\nyy/index.html";
    my $first = sub { (URL::Spool->new(@_)->urls($broken))[0] };
    like $first->(), qr/xx-yy/, 'rejoined by default';
    like $first->(join => 'never'), qr/xx-\z/, 'join => never';
    is_deeply [map { URL::Spool->new(hyphen => $_)->urls("<URL:http://a.example/x-\ny>") } qw(keep drop)],
        ['http://a.example/x-y', 'http://a.example/xy'], 'hyphen';
    is $first->(join => undef, hyphen => undef), $first->(), 'undef is the default';
    my $message = "Subject: http://h.example/\nContent-Type: text/html\n\n<a href='http://a.example/'>x</a>\n";
    my $urls = sub { join ' ', URL::Spool->new(@_)->urls(\$message) };
    is $urls->(), 'http://h.example/ http://a.example/', 'headers and HTML';
    is $urls->(in => 'text,html'), 'http://a.example/', 'no headers';
    my @page = URL::Spool->new(format => 'html')->message("<a href='http://a.example/?b&amp;c'>x</a> http://d.example/");
    is_deeply [map { $_->{url} } @page], ['http://a.example/?b&c', 'http://d.example/'], 'a page';
    is $urls->(in => 'headers'), 'http://h.example/', 'only headers';
    is $urls->(in => 'headers,text'), 'http://h.example/', 'no HTML';
    croaks(sub { URL::Spool->new(sinec => 1) }, qr/^unknown option sinec; the options are in, join, /, 'unknown');
    croaks(sub { URL::Spool->new('html') }, qr/^the options of URL::Spool are pairs/, 'odd');
    croaks(sub { URL::Spool->new(format => 'zz') }, qr/^invalid value "zz" for the option format: give one of auto/, 'an unknown format');
    croaks(sub { URL::Spool->new->option_set('host') }, qr/^option_set takes the name/, 'no value');
    is_deeply [URL::Spool->new->option_set(join => 'never')->urls($broken)], [$first->(join => 'never')], 'option_set';
    isa_ok(URL::Spool->new(format => 'mbox'), 'URL::Spool', 'an object with a format');
    for (
        [in => 'some'], [hyphen => ''], [since => 'tomorrow'], [until => '1.5'], [threads => 1025], [threads => -1],
        [max_message => 0], [max_message => (1 << 30) + 1], [problem => 'x'], [format => "m\0"], [follow => []],
    ) {
        my ($name, $value) = @$_;
        croaks(sub { URL::Spool->new($name => $value) }, qr/^invalid /, "$name => $value");
    }
};

subtest 'HTML' => sub {
    is $spool->linkify(''), '', 'empty';
    is $spool->linkify(q(<&>"')), '&lt;&amp;&gt;&quot;&#39;', 'escaped';
    is $spool->linkify('R&D: http://a.example/?x&y.'),
        'R&amp;D: <a href="http://a.example/?x&amp;y">http://a.example/?x&amp;y</a>.', 'a link';
    is $spool->linkify("> € <http://a.example/x/\n> y> é"),
        "&gt; € &lt;<a href=\"http://a.example/x/y\">http://a.example/x/</a>\n&gt; <a href=\"http://a.example/x/y\">y</a>&gt; é",
        'each piece is a link to the whole URL';
    is $spool->linkify("<URL:http://a.example/b c\n d>", link => sub { "[$_[0]]" }),
        "&lt;URL:[http://a.example/b c]\n [d]&gt;", 'blanks in a line are in its link';
    is $spool->linkify('<javascript:alert(1)> <data:text/html,x>'),
        '&lt;javascript:alert(1)&gt; &lt;data:text/html,x&gt;', 'URLs that run code stay text';
    is $spool->linkify('http://a.example/ ftp://b.example/', schemes => ['FTP'], link => sub { "[$_[0]|$_[1]{form}]" }),
        'http://a.example/ [ftp://b.example/|bare]', 'a scheme and a function';
    is eval { $spool->linkify('http://a.example/', link => sub { die "from the function\n" }) }, undef, 'the function dies';
    is $@, "from the function\n", 'its exception arrives';
};

subtest 'the messages of the corpus as texts' => sub {
    my $root = root() or plan skip_all => 'the corpus is not here';
    my ($links, @wrong) = (0);
    for my $path (glob "$root/corpus/mail/*.eml") {
        my $latin = slurp($path);
        my $text = $latin;
        utf8::decode($text);
        for ($latin, $text) {
            push @wrong, "$path: the text changes" if $spool->linkify($_, link => sub { $_[0] }) ne URL::Spool::escape($_);
            for my $link ($spool->links($_)) {
                $links++;
                my $span = substr $_, $link->{offset}, $link->{length};
                my ($first, $last) = @{$link->{pieces}}[0, -1];
                push @wrong, "$path: the pieces of $link->{url}"
                    if $first->[0] != $link->{offset} || $last->[0] + $last->[1] != $link->{offset} + $link->{length};
                # `http\://host` and `http:/host` are restored.
                my $is_restored = ($link->{doubt} // q{}) =~ /^(?:escape|defanged)$/;
                push @wrong, "$path: the place of $link->{url}"
                    if @{$link->{pieces}} == 1 && $span ne $link->{url} && !$is_restored;
            }
        }
    }
    is "@wrong[0 .. ($#wrong < 5 ? $#wrong : 5)]", '', 'places are right, and HTML has the whole text';
    cmp_ok $links, '>', 100, 'there are links';
};

done_testing;
