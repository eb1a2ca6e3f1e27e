package URL::Spool;

use 5.020;
use strict;
use warnings;

use overload ();

use Carp qw(croak);
use FFI::Platypus::Buffer qw(scalar_to_buffer);
use Scalar::Util qw(blessed reftype);
use URL::Spool::Hits ();
use URL::Spool::Library ();

our $VERSION = 'v0.1.0';

sub new {
    my ($class, @given) = @_;
    @given % 2 == 0 or croak 'the options of URL::Spool are pairs of a name and a value';
    my $self  = bless {options => {}}, $class;
    my %given = @given;
    for my $name (sort keys %given) { $self->option_set($name, $given{$name}) }
    return $self;
}

sub option_set {
    my ($self, $name, $value) = @_;
    _object($self, 'option_set');
    @_ == 3 or croak 'option_set takes the name and the value of an option';
    if ($name eq 'problem') {
        !defined $value || (reftype $value // '') eq 'CODE' or croak "invalid option problem; give a code reference";
        $self->{problem} = $value;
        return $self;
    }
    !ref $value || blessed $value or croak "invalid option $name; give a string, not a reference to " . reftype $value;
    my %options = (%{$self->{options}}, $name => $value);
    delete $options{$name} unless defined $value;
    # The library checks the options.
    eval { URL::Spool::Library::searcher(\%options) } or croak $@ =~ s/\n\z//r;
    $self->{options} = \%options;
    return $self;
}

# Returns a copy of `$bytes`. Croaks if `$bytes` is not a string of bytes. The error message calls the argument `$what`.
sub _bytes {
    my ($bytes, $what) = @_;
    defined $bytes or croak "$what is undefined";
    !ref $bytes || (blessed $bytes && overload::Method($bytes, '""'))
        or croak "$what must be a string, not a reference to " . reftype $bytes;
    $bytes = "$bytes";
    utf8::downgrade($bytes, 1) or croak "$what must be bytes, but it has wide characters; encode it first";
    return $bytes;
}

# Croaks if a method was called as a function or on the class, instead of on an object.
sub _object {
    my ($self, $method) = @_;
    blessed $self && $self->isa(__PACKAGE__) or croak "$method is a method: call URL::Spool->new->$method(...)";
    return;
}

sub import {
    my (undef, @names) = @_;
    @names and croak "URL::Spool does not export '$names[0]'; call the methods of URL::Spool->new";
    return;
}

sub urls {
    my ($self, $source) = @_;
    _object($self, 'urls');
    @_ == 2 or croak 'urls takes one argument: a text, a reference to a message, or an object with as_string';
    if (blessed $source && $source->can('as_string')) {
        return map { $_->{url} } $self->message($source->as_string);
    }
    if ((reftype $source // '') eq 'SCALAR' && !blessed $source) {
        return map { $_->{url} } $self->message($$source);
    }
    return map { $_->{url} } $self->links($source);
}

sub message {
    my ($self, $message) = @_;
    _object($self, 'message');
    @_ == 2 or croak 'message takes one argument: the bytes of a message';
    $message = _bytes($message, 'a message');
    my $searcher = URL::Spool::Library::searcher($self->{options});
    my $search = URL::Spool::Library::urlspool_search_message($searcher, scalar_to_buffer($message));
    return URL::Spool::Hits->_new($search)->all;
}

sub paths {
    my ($self, @paths) = @_;
    _object($self, 'paths');
    my $callback = @paths && (reftype $paths[-1] // '') eq 'CODE' ? pop @paths : undef;
    @paths = map { _bytes($_, 'a path') } @paths;
    for (@paths) { /\0/ and croak 'a path contains a NUL' }
    my $pointers = pack 'p*', @paths;
    my $searcher = URL::Spool::Library::searcher($self->{options});
    my $search   = URL::Spool::Library::urlspool_search_paths(
        $searcher, (scalar_to_buffer($pointers))[0], scalar @paths,
    );
    my $hits = URL::Spool::Hits->_new($search, $self->{problem});
    if ($callback) {
        while (defined(my $hit = $hits->next)) { $callback->($hit, $hits) }
    }
    return $hits;
}

sub links {
    my ($self, $text) = @_;
    _object($self, 'links');
    @_ == 2 or croak 'links takes one argument: a text';
    defined $text or croak 'a text is undefined';
    !ref $text || (blessed $text && overload::Method($text, '""'))
        or croak 'a text must be a string, not a reference to ' . reftype $text;
    my $bytes = "$text";
    utf8::encode($bytes);
    my $searcher = URL::Spool::Library::searcher($self->{options});
    my $search   = URL::Spool::Library::urlspool_search_text($searcher, scalar_to_buffer($bytes));
    my @links    = URL::Spool::Hits->_new($search)->all;
    my $position = _positions($bytes);
    for my $link (@links) {
        my $end = $position->($link->{offset} + $link->{length});
        $link->{offset} = $position->($link->{offset});
        $link->{length} = $end - $link->{offset};
        for my $piece (@{$link->{pieces}}) {
            my ($from, $to) = map { $position->($_) } $piece->[0], $piece->[0] + $piece->[1];
            @$piece = ($from, $to - $from);
        }
        delete @$link{qw(exact header part link_text message_id date message file member)};
    }
    return @links;
}

# Returns a function that converts an offset in bytes to an offset in characters. Each call of this function reads only
# the bytes between its offset and the offset of the previous call.
sub _positions {
    my ($bytes) = @_;
    # Each character of UTF-8 has exactly one byte that is not a continuation byte. If there are no continuation bytes,
    # each character has one byte, so the offsets in bytes and in characters are equal.
    my $wide = $bytes =~ tr/\x80-\xBF//;
    my ($byte, $character) = (0, 0);
    return sub {
        my ($offset) = @_;
        return $offset unless $wide;
        my ($from, $count) = $offset < $byte ? ($offset, $byte - $offset) : ($byte, $offset - $byte);
        my $between = substr $bytes, $from, $count;
        my $characters = $between =~ tr/\x00-\x7F\xC0-\xFF//;
        $character += $offset < $byte ? -$characters : $characters;
        $byte = $offset;
        return $character;
    };
}

sub linkify {
    my ($self, $text, @given) = @_;
    _object($self, 'linkify');
    @_ >= 2 && @given % 2 == 0 or croak 'linkify takes a text, and pairs of an option and a value';
    my %given = @given;
    my ($schemes, $make) = delete @given{qw(schemes link)};
    croak "unknown option '$_' of linkify; known options are: link, schemes" for sort keys %given;
    my %linked = map { lc $_ => 1 } $schemes ? @$schemes : split ' ', URL::Spool::Library::urlspool_linked();
    $make //= sub { '<a href="' . escape($_[1]{url}) . qq(">$_[0]</a>) };
    my ($html, $done) = ('', 0);
    for my $link ($self->links($text)) {
        next unless $linked{$link->{scheme}};
        for my $piece (_pieces_of_lines(\$text, @{$link->{pieces}})) {
            my ($offset, $length) = @$piece;
            next if $offset < $done;
            $html .= escape(substr $text, $done, $offset - $done);
            $html .= $make->(escape(substr $text, $offset, $length), $link);
            $done = $offset + $length;
        }
    }
    return $html . escape(substr $text, $done);
}

# Joins the pieces in each line. A URL in brackets can have thousands of blanks in a line.
sub _pieces_of_lines {
    my ($text, @pieces) = @_;
    my @lines;
    for (@pieces) {
        my $end = @lines && $lines[-1][0] + $lines[-1][1];
        if (@lines && substr($$text, $end, $_->[0] - $end) !~ /\n/) { $lines[-1][1] = $_->[0] + $_->[1] - $lines[-1][0] }
        else                                                         { push @lines, [@$_] }
    }
    return @lines;
}

my %ESCAPES = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&#39;');

sub escape {
    my ($text) = @_;
    $text =~ s/([&<>"'])/$ESCAPES{$1}/g;
    return $text;
}

1;

__END__

=encoding utf8

=head1 NAME

URL::Spool - find the URLs in mail and news, and where each URL is

=head1 SYNOPSIS

    use URL::Spool;
    my $spool = URL::Spool->new;

    # The URLs of a text. URLs that were broken over lines are rejoined.
    print "$_\n" for $spool->urls("See <URL:http://www.example.org/a/\n  b.html>.");

    # The URLs of a message in bytes: MIME, charsets and HTML are decoded.
    for my $hit ($spool->message($bytes)) {
        print "$hit->{line}: $hit->{url}\n";
    }

    # The URLs in files and directories, in all formats except Outlook's files and public-inbox.
    my $hits = $spool->paths('archive.mbox', 'Maildir');
    while (defined(my $hit = $hits->next)) {
        print "$hit->{file}:$hit->{line}: $hit->{url}\n";
    }
    warn "$_->{text}\n" for $hits->problems;

    # A text as HTML, with links.
    print $spool->linkify("R&D: http://www.example.org/?a&b");

=head1 DESCRIPTION

URL::Spool calls the C interface of urlspool, which finds the URLs in text, mail and archives. urlspool decodes MIME,
ignores quote marks, rejoins URLs that were broken over lines, and validates each URL by the grammar of RFC 1738 and its
successors.

=head2 Strings and bytes

A text is a string of I<characters>. If you read it from a file or a socket, decode it first. A message is a string of
I<bytes>, as it was received. Do not decode it, because each part of a message can have its own charset. A path is a
string of bytes, too, as C<readdir> returns it.

If a message or a path has a character above C<\xFF>, the method croaks.

=head1 METHODS

=head2 new

    my $spool = URL::Spool->new(join => 'never', threads => 2);

Returns an object with these options. C<new> croaks if an option is unknown or a value is invalid. The value C<undef>
means the default. A list is a string with commas. A flag is C<1> or C<0>.

=over

=item in

The parts of messages to search: a list of C<headers>, C<text> and C<html>. All by default.

=item join

When a URL without brackets continues on the next line: C<never>, C<likely> (the default), or the least confidence, in
percent.

=item hyphen

What to do with the hyphen if a URL in brackets is broken after a hyphen: C<keep> the hyphen (the default), or C<drop>
the hyphen.

=item defanged

Whether defanged URLs, such as C<hxxp://evil[.]example/>, are restored and found. False by default.

=item scheme, form, host, url, tier, zone

Lists of the schemes, forms, hosts, words, tiers and zones of the URLs. C<example.org> includes its sub-domains, and C<=example.org>
does not.

=item since, until

For C<paths>: search only messages that are dated at or after C<since>, and at or before C<until>. Each is a date such
as C<1995>, C<1995-02-17> or C<7d>, or C<@SECONDS> since 1970-01-01, UTC. C<< until => 1995 >> includes the whole year.
Messages without a date and text outside messages are skipped.

=item newsgroup, list

For C<paths>: search only messages with a newsgroup, or with a List-Id, that matches patterns such as
C<comp.*,!comp.lang.*>.

=item from, subject

For C<paths>: search only messages with one of these words in their From or Subject field. A word such as C</a|b/> is a
regular expression.

=item format

For C<paths>: the name of the format, such as C<mbox>. C<urlspool --help> lists the names. By default, the format of
each file is detected. C<mail> skips files that are not mail or news. With C<html>, C<message> reads a page in place of a message.

=item base

For C<paths>: the URL of the current directory. Relative links in HTML files are resolved with it.

=item max_message

For C<paths>: the size of the largest message that is decoded, in bytes or as C<64M>. The default is 4 MiB. In a larger
message, the bytes after this size are searched as plain text.

=item follow

For C<paths>: whether symbolic links in directories are followed. False by default.

=item threads

For C<paths>: the number of threads, at most 256, in which the library searches while your program works on the hits; 0
for one per core. By default, the library starts no threads. Threads save time only with large archives, and only if the
computer has idle cores. They are not Perl threads: only your thread runs Perl code.

=item byte_range, shard

For C<paths>: search only messages that begin in a range of bytes, such as C<0-1G>, or only a share of the files, such
as C<1/4>.

=item count_lines

Whether lines are counted, for the field C<line>. True by default.

=item problem

For C<paths>: a function that is called with each L<problem|/problems> as it occurs.

=back

=head2 option_set

    $spool->option_set(host => 'example.org');

Sets an option, and returns the object. It croaks as C<new> does. A search that has begun keeps its options.

=head2 urls

    my @urls = $spool->urls($text);       # characters
    my @urls = $spool->urls(\$message);   # bytes
    my @urls = $spool->urls($email);      # an object

Returns the URLs as strings, in order. The argument is a text, a reference to the bytes of a message, or an object with
the method C<as_string>. Objects of L<Email::Simple>, L<Email::MIME> and L<MIME::Entity> have this method.

=head2 message

    my @hits = $spool->message($bytes);

Returns the L<hits|/HITS> of one message.

=head2 paths

    my $hits = $spool->paths(@paths);
    my $hits = $spool->paths(@paths, sub { my ($hit, $hits) = @_; ... });

Searches files, directories and standard input (C<->). Returns an object with the methods L</next>, L</all>,
L</problems> and L</stop>. In list context, C<paths> also returns this object. To get a list of hits, call C<all>.

If the last argument is a function, C<paths> calls this function for each hit. The arguments of the function are the hit
and the object. In this case, C<paths> returns after the last hit. If the function dies, the search ends, and your
program gets the exception.

Without the option C<threads>, C<next> reads the files only as far as it must to find the next hit. While C<next> runs,
Perl does not run signal handlers: they run when C<next> returns.

=head2 links

    for my $link ($spool->links($text)) {
        my ($offset, $length) = @{$link->{pieces}[0]};
        print substr($text, $offset, $length), " is in $link->{url}\n";
    }

Returns the URLs of a text as hashes. Each hash has the fields C<url>, C<scheme>, C<host>, C<form>, C<tier>, C<offset>,
C<length>, C<pieces>, C<line>, C<quote_depth>, C<confidence>, C<warnings>, C<doubt>, C<alternatives> and C<target> of
L</HITS>. C<offset>, C<length> and C<pieces> count I<characters>, as C<substr> does.

=head2 linkify

    my $html = $spool->linkify($text);
    my $html = $spool->linkify($text, schemes => ['http', 'https'], link => sub {
        my ($piece, $link) = @_;
        return qq(<a class="url" href=") . URL::Spool::escape($link->{url}) . qq(">$piece</a>);
    });

Returns the text as HTML, with a link around each URL. If a URL was broken over lines, each piece is a link to the whole
URL. All other text is escaped. Line breaks do not change, so put the HTML into C<pre>, or into an element with
C<white-space: pre-wrap>.

C<schemes> is a list of schemes: only URLs with one of these schemes become links. By default, the list has C<http>,
C<https>, C<ftp>, C<ftps>, C<sftp>, C<mailto>, C<news>, C<nntp>, C<snews>, C<gopher>, C<telnet>, C<wais>, C<prospero>,
C<irc>, C<ircs>, C<magnet>, C<git> and C<ssh>. URLs of other schemes stay text, because a click on a URL such as
C<javascript:...> would run code.

C<link> is a function that returns the HTML for a piece of a URL. Its arguments are the text of the piece, as HTML, and
the hash that L</links> returns for the URL.

=head1 METHODS OF A SEARCH

=head2 next

Returns the next L<hit|/HITS>, or C<undef> at the end.

=head2 all

Returns all remaining hits.

=head2 problems

Returns the problems so far. A problem is input that could not be opened, or could not be read to its end. The search
continues after a problem. If you gave a function as the option C<problem>, this function gets the problems, and
C<problems> returns an empty list. Each problem is a hash:

=over

=item text

The path and a description of the problem, in one line. A path can contain control characters, so escape it before you
print it.

=item path

The path of the file or directory.

=item kind

C<open>, C<dangling-link>, C<read>, C<list>, C<unsupported> or C<incomplete>.

=item os_error

The number of the operating system's error (see C<$!>), or C<undef>.

=item count

The number of files or archive members with this problem. It is greater than 1 only if several members of an archive
have the same problem.

=back

=head2 stop

Ends the search. After C<stop>, C<next> returns C<undef>. The search also ends when the object is destroyed.

=head1 HITS

A hit is a hash. Except for C<date>, C<exact>, C<part> and C<pieces>, its fields have the names and values
that C<urlspool --json> prints. A field without a value is C<undef>. C<alternatives>, C<pieces> and C<warnings> are
always arrays.

=over

=item url

The URL as written, rejoined if it was broken over lines. A string of characters.

=item scheme, host

The scheme in lower case, and the host as written.

=item file, member

The path of the file, and the name of the archive member. C<file> and C<member> are strings of bytes.

=item message, message_id, date

C<message> is the number of the message in its file, from 1. C<message_id> is the Message-ID without brackets, a string
of bytes. C<date> is the date of the message in seconds since 1970-01-01, UTC.

=item part, header

The IMAP section number of the MIME part, such as C<1.2>, and the name of the header field that contains the URL.
C<part> and C<header> are strings of bytes.

=item line, offset, length

C<line> is the number of the line on which the URL begins, from 1. C<offset> is the offset of the URL in the file, in
bytes from 0. In a compressed file, C<offset> counts decompressed bytes. C<length> is the number of bytes of the URL in
the file, including line breaks and encodings inside the URL.

=item exact

False if the exact place of the URL is unknown. In this case, C<offset> and C<length> are those of the MIME part.

=item pieces

The ranges of the input that contain the URL. Each range is an array of an offset and a length. A URL that was broken
over lines has one range for each line.

=item form

How the text marks the URL: C<wrapped> (C<< <URL:...> >>), C<angle> (C<< <http:...> >>), C<bare>, C<prefixed>
(C<URL:...>) or C<href> (an attribute in HTML).

=item tier

The grammar that allows the URL: C<rfc1738>, C<relaxed>, C<rfc3986> or C<iri>.

=item quote_depth

The number of quote marks, such as C<< > >>, at the start of the line with the URL.

=item confidence

The probability, in percent, that a URL without brackets was rejoined correctly.

=item warnings

The names of warnings, such as C<password>.

=item doubt, alternatives

If the text can also mean another URL, C<doubt> is the reason, such as C<hyphen>, and C<alternatives> has the other
possible URLs. Each of them is a hash with C<url> and C<reason>.

=item link_text

In HTML: the text that the reader sees in place of the link.

=item target

The original URL, if a service such as SafeLinks has rewritten the URL. If several services have rewritten it, this is
the URL that the reader finally reaches.

=back

A later version of the library can have forms, warnings or reasons that this version of the module does not know. The
module gives each of them the name C<other>.

=head1 THE LIBRARY

The module loads the shared library F<liburlspool>. If the environment variable C<URLSPOOL_LIBRARY> is set, it is the
path of the library. Otherwise L<FFI::CheckLib> searches the directories of the system, and the directories in
C<LD_LIBRARY_PATH>. If the library is not found, C<use URL::Spool> dies. C<$URL::Spool::Library::PATH> is the path of
the library that was loaded.

=head1 THREADS AND PROCESSES

A new Perl thread and a forked process can use the URL::Spool objects of their parent. Only the thread and the process
that called C<paths> can continue the search.

=head1 LIMITS

The module reads mailboxes from files and from standard input, not from file handles or memory. To parse a single URL,
use the module L<URI>.

=head1 LICENCE

MIT or Apache-2.0, at your choice.

=head1 SEE ALSO

L<URI::Find>, L<MHonArc|https://www.mhonarc.org/>

=cut
