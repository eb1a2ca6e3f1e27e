# A MHonArc filter for text/plain that makes links of the URLs that urlspool finds. It marks the URLs in the text, calls
# MHonArc's own filter, mhtxtplain.pl, and replaces the marks in the HTML by links.
#
# README.md says how to install this filter. Licence: MIT or Apache-2.0, at your choice.

package urlspool_text_plain;

use strict;
use warnings;

use URL::Spool ();

require 'mhtxtplain.pl';

# Each piece of a URL is marked in this form: $BEGIN, the number of the URL, $BEGIN, the piece, $FINISH. MHonArc's
# charset converters do not change these control characters. Before the filter marks the URLs, it removes these
# characters from the text, because HTML does not allow them.
my ($BEGIN, $FINISH) = ("\x02", "\x03");

# The schemes of links, unless the argument `link` names other schemes. The list has the schemes that MHonArc links, and
# other schemes that cannot run code.
my @SCHEMES = qw(http https ftp ftps sftp mailto news nntp snews gopher telnet wais prospero ldap irc ircs git magnet);

my $spool = URL::Spool->new(in => 'text,html');

# Has the same arguments and the same result as m2h_text_plain::filter.
sub filter {
    my ($fields, $data, $is_decoded, $args) = @_;
    $args = '' unless defined $args;
    return m2h_text_plain::filter($fields, $data, $is_decoded, $args) if !_is_linked($fields, $data, $args);

    # Convert line ends as MHonArc will do later, so that the URLs are found in the lines that MHonArc shows.
    $$data =~ s/\r\n?/\n/g;
    $$data =~ tr/\x02\x03//d;
    my $flowed = _flowed($fields, $args);
    my $own_args = $args;
    if (!$flowed && $own_args =~ s/\bmaxwidth=([0-9]+)//i && $1 > 0) {
        m2h_text_plain::break_lines($data, $fields->{'x-mha-charset'}, $1);
    }
    my $hrefs = _mark($data, _type($fields, $flowed), $args);
    my ($html, @files) = m2h_text_plain::filter($fields, $data, $is_decoded, "$own_args nourl");
    my $target = _target($args);
    # A uuencoded file that was decoded into $html can contain these control characters, too. So there may be no URL
    # with this number.
    $html =~ s{$BEGIN([0-9]+)$BEGIN(.*?)$FINISH}
        {defined $hrefs->[$1] ? qq(<a $target rel="nofollow" href="$hrefs->[$1]">$2</a>) : $2}gsex;
    return ($html, @files);
}

# Returns whether MHonArc would make links in this text, and whether the bytes of the text can be marked.
sub _is_linked {
    my ($fields, $data, $args) = @_;
    no warnings 'once';
    return 0 if $mhonarc::NOURL || $args =~ /\bnourl\b/i;
    return 0 if $args =~ /\bhtmlcheck\b/i && $$data =~ /\A\s*<(?:html\b|x-html\b|!doctype\s+html\s)/i;
    return 0 if ($fields->{'x-mha-charset'} || '') =~ /\A(?:utf-?(?:16|32)|ucs-?[24]|iso-10646)/i;
    if ($args =~ /\battachcheck\b/i) {
        my ($disposition) = readmail::MAILhead_get_disposition($fields);
        return 0 if ($disposition || '') =~ /\battachment\b/i;
    }
    return 1;
}

# Returns how the text is shown: 'delsp' for format=flowed with DelSp, 'flowed' for format=flowed without it, and ''
# otherwise.
sub _flowed {
    my ($fields, $args) = @_;
    my $type = ($fields->{'content-type'} || [])->[0];
    return '' if $args =~ /\bdisableflowed\b/i || !defined $type || $type !~ /\bformat\s*=\s*["']?flowed\b/i;
    return $type =~ /\bdelsp\s*=\s*["']?yes\b/i ? 'delsp' : 'flowed';
}

# Returns a Content-Type field for the decoded text.
sub _type {
    my ($fields, $flowed) = @_;
    my ($charset) = ($fields->{'x-mha-charset'} || 'us-ascii') =~ /\A([\w.:+-]+)\z/a;
    my $type = 'text/plain; charset=' . ($charset || 'us-ascii');
    $type .= '; format=flowed' if $flowed;
    $type .= '; delsp=yes' if $flowed eq 'delsp';
    return $type;
}

sub _target {
    my ($args) = @_;
    my ($target) = $args =~ /\btarget=(?|"([^"]+)"|(\S+))/i or return '';
    $target =~ tr/'"<>&//d;
    return qq(target="$target");
}

# Returns a function that checks whether URLs of a scheme become links.
sub _schemes {
    my ($args) = @_;
    my %linked = map { $_ => 1 } $args =~ /\blink\s*=(\S+)/ ? _listed($1) : @SCHEMES;
    delete @linked{_listed($1)} if $args =~ /\bnolink\s*=(\S+)/;
    return sub { $linked{$_[0]} };
}

sub _listed {
    my ($list) = @_;
    $list =~ tr/'"//d;
    return split /,/, lc $list;
}

# Marks the URLs in a text, and returns their hrefs.
sub _mark {
    my ($data, $type, $args) = @_;
    my $head = "MIME-Version: 1.0\nContent-Type: $type\nContent-Transfer-Encoding: 8bit\n\n";
    my $is_linked = _schemes($args);
    my @encoded = $args =~ /\buudecode\b/i ? _encoded($data) : ();
    # How many bytes may be searched in vain for URLs whose place is not known.
    my $left = 16 * length $$data;
    my ($marked, $done, @hrefs) = ('', 0);
    for my $hit ($spool->message($head . $$data)) {
        next if !$is_linked->($hit->{scheme});
        my @pieces = _pieces($hit, $data, length $head, $done, \$left);
        for my $piece (URL::Spool::_pieces_of_lines($data, @pieces)) {
            my ($from, $length) = @$piece;
            next if $from < $done;
            shift @encoded while @encoded && $encoded[0][1] <= $from;
            next if @encoded && $from >= $encoded[0][0];
            $marked .= substr($$data, $done, $from - $done);
            $marked .= $BEGIN . @hrefs . $BEGIN . substr($$data, $from, $length) . $FINISH;
            $done = $from + $length;
        }
        push @hrefs, _href($hit->{url});
    }
    $$data = $marked . substr $$data, $done;
    return \@hrefs;
}

# Returns the pieces of a URL in the text. Each is an array of an offset and a length. No piece contains a line end.
sub _pieces {
    my ($hit, $data, $head, $done, $left) = @_;
    if (!$hit->{exact}) {
        # In a charset such as ISO-2022-JP, the library does not know where exactly the URL is.
        return if $$left < 0 || $hit->{url} =~ /[^\x00-\x7F]/;
        my $from = index $$data, $hit->{url}, $done;
        return [$from, length $hit->{url}] if $from >= 0;
        $$left -= length($$data) - $done;
        return;
    }
    my @pieces;
    for (@{$hit->{pieces}}) {
        my ($from, $length) = ($_->[0] - $head, $_->[1]);
        my $piece = substr $$data, $from, $length;
        # With format=flowed, a piece can have soft line breaks, and the quote marks of the next line.
        while ($piece =~ /(?:^[> ]*)?([^\n]*[^\n ])[ ]*(?:\n|\z)/mg) {
            push @pieces, [$from + $-[1], length $1];
        }
    }
    return @pieces;
}

# Returns the ranges of uuencoded files. MHonArc decodes these files, so they must not change.
sub _encoded {
    my ($data) = @_;
    my @ranges;
    push @ranges, [$-[0], $+[0]] while $$data =~ /^begin\s+\d\d\d\s+[^\n]+\n[!-M].*?\nend\n/smg;
    return @ranges;
}

# Returns the URL as the value of an attribute. The page can have any charset, so the value is ASCII.
sub _href {
    my $href = URL::Spool::escape($_[0]);
    $href =~ s/([^\x00-\x7F])/sprintf '&#x%X;', ord $1/ge;
    return $href;
}

1;
