package URL::Spool::Library;

# Calls the functions of the C library, and converts its structs to Perl data. The library never calls Perl code as a
# callback: an exception or an `exit` in a callback would jump over the library's functions without cleaning up.

use 5.020;
use strict;
use warnings;

use Carp ();
use FFI::CheckLib 0.25 ();
use FFI::Platypus 2.00;
use FFI::Platypus::Buffer qw(buffer_to_scalar scalar_to_buffer);
use FFI::Platypus::DL;

our $VERSION = 'v0.1.0';

# This module works with each version of the library whose version number begins with this text. These versions have the
# same SONAME.
my $COMPATIBLE = '0.1.';

use constant {
    DONE       => 0,
    INCOMPLETE => 2,
    FOUND      => 3,
};

# The names that the command prints for the constants in urlspool.h. The index of a name in its list is the value of the
# constant. The constant of a warning is a bit mask, so in @WARNINGS the index is the number of the bit.
my @FORMS    = qw(wrapped angle bare prefixed href www path domain);
my @TIERS    = qw(rfc1738 relaxed rfc3986 iri);
my @REASONS  = (undef, qw(hyphen rejoin tokens quote script reference defanged glued escape obscured doubled schemeless cut));
my @WARNINGS = qw(
    password port-not-default port-reserved encoded-control userinfo-looks-like-host bad-escape host-looks-latin
    shown-as-other-host characters-encoded slashes-mended address-trimmed host-is-number encoded-nul bidi-control
    no-scheme envelope-date host-unknown
);
my @PROBLEMS = (undef, qw(open dangling-link read list unsupported incomplete));

sub _find {
    my $named = $ENV{URLSPOOL_LIBRARY};
    return $named if defined $named && length $named;
    my $found = FFI::CheckLib::find_lib(lib => 'urlspool', symbol => 'urlspool_search_next');
    return $found if defined $found;
    die "URL::Spool: liburlspool was not found; set URLSPOOL_LIBRARY to its path, or install it and run ldconfig\n"
        . "The README of URL::Spool says how. A library without urlspool_search_next is too old.\n";
}

our $PATH = _find();
my $FFI = FFI::Platypus->new(api => 2);

# At the end of the program, FFI::Platypus closes its handle of the library, even if threads of the library still run. A
# second handle keeps the library in memory, so that these threads do not crash.
my $KEPT = FFI::Platypus::DL::dlopen($PATH, FFI::Platypus::DL::RTLD_PLATYPUS_DEFAULT())
    or die 'URL::Spool: liburlspool ', -e $PATH ? 'cannot be loaded from' : 'was not found at',
        " $PATH; set URLSPOOL_LIBRARY to its path\n", FFI::Platypus::DL::dlerror(), "\n";
$FFI->lib($PATH);

my @FUNCTIONS = (
    [urlspool_version        => []                                        => 'string'],
    [urlspool_new            => []                                        => 'opaque'],
    [urlspool_free           => ['opaque']                                => 'void'],
    [urlspool_option_set     => ['opaque', 'string', 'string']            => 'int'],
    [urlspool_option_error   => ['opaque']                                => 'string'],
    [urlspool_search_message => ['opaque', 'opaque', 'size_t']            => 'opaque'],
    [urlspool_search_text    => ['opaque', 'opaque', 'size_t']            => 'opaque'],
    [urlspool_search_paths   => ['opaque', 'opaque', 'size_t']            => 'opaque'],
    [urlspool_search_next    => ['opaque', 'opaque*']                     => 'int'],
    [urlspool_search_free    => ['opaque']                                => 'void'],
    [urlspool_linked         => []                                        => 'string'],
);
for (@FUNCTIONS) {
    my ($name, $arguments, $result) = @$_;
    defined $FFI->find_symbol($name)
        or die "URL::Spool: $PATH has no function $name; install a newer version of the library\n";
    $FFI->attach($name => $arguments => $result);
}
my $LOADED = urlspool_version();
index($LOADED, $COMPATIBLE) == 0
    or die "URL::Spool: $PATH is version $LOADED; URL::Spool $VERSION needs version ${COMPATIBLE}x\n";

# Maps the type of a field in a C struct, written as one letter, to the template for `pack` and to the alignment in
# bytes. `z` is a size_t or a pointer, `q` and `Q` are integers of 64 bits, `i` and
# `u` are integers of 32 bits, and `b` is a bool.
my $POINTER = $FFI->sizeof('size_t');
my %PACKED  = (
    z => [$POINTER == 8 ? 'Q' : 'L', $POINTER],
    q => ['q', $FFI->alignof('sint64')],
    Q => ['Q', $FFI->alignof('uint64')],
    i => ['l', 4],
    u => ['L', 4],
    b => ['C', 1],
);

sub _template {
    return join ' ', map { "x!$PACKED{$_}[1] $PACKED{$_}[0]" } split //, join '', @_;
}

# The fields of the C structs in version 0.1 of the library. Later versions add fields only at the end of a struct.
my $HIT = _template(
    'z',                      # size
    'zzzzzz',                 # url, scheme, host
    'QQb',                    # offset, length, exact
    'zzzz',                   # pieces, header
    'iiziui',                 # form, tier, quote_depth, confidence, warnings, doubt
    'zzQ',                    # alternatives, line
    'zzzzzzzz',               # part, link_text, target, message_id
    'bqQ',                    # has_date, date, message
    'zzzz',                   # file, member
);
my $EVENT       = _template('zizzz');
my $PROBLEM     = _template('ziizzzzQ');
my $ALTERNATIVE = _template('zzi');
my $SPAN        = _template('QQ');

sub _size {
    my ($template) = @_;
    # In C, the size of a struct is a multiple of its alignment, so there can be padding after the last field.
    return length pack "$template x!$PACKED{Q}[1] x!$POINTER", (0) x (() = $template =~ /[A-Za-wyz]/g);
}
my $HIT_SIZE         = _size($HIT);
my $EVENT_SIZE       = _size($EVENT);
my $PROBLEM_SIZE     = _size($PROBLEM);
my $ALTERNATIVE_SIZE = _size($ALTERNATIVE);
my $SPAN_SIZE        = _size($SPAN);

# The searchers of the C library: one for each set of options. A searcher does not change, so all objects and threads can
# share it. No searcher is freed before the end of the program.
my %SEARCHERS;

# Returns a searcher with these options. Dies if an option is unknown, or if a value is invalid.
sub searcher {
    my ($options) = @_;
    for my $name (sort keys %$options) {
        die "invalid option $name; the value contains a NUL\n" if grep { /\0/ } $name, $options->{$name} // '';
    }
    my $key = join "\0", map { ($_, $options->{$_}) } sort keys %$options;
    return $SEARCHERS{$key} if $SEARCHERS{$key};
    my $searcher = urlspool_new() // die "URL::Spool: the library has an error\n";
    for my $name (sort keys %$options) {
        my @texts = ($name =~ tr/_/-/r, length $options->{$name} ? "$options->{$name}" : '0');
        utf8::encode($_) for @texts;
        next if urlspool_option_set($searcher, @texts) == DONE;
        my $why = urlspool_option_error($searcher) // "invalid option $name";
        urlspool_free($searcher);
        die "$why\n";
    }
    return $SEARCHERS{$key} = $searcher;
}

sub _bytes {
    my ($address, $length) = @_;
    return undef unless $address;
    return $length ? buffer_to_scalar($address, $length) : '';
}

# Decodes a string of the C library. The C interface guarantees that the string is UTF-8.
sub _text {
    my $text = _bytes(@_);
    utf8::decode($text) if defined $text;
    return $text;
}

sub _named {
    my ($names, $value) = @_;
    return $value >= 0 && $value < @$names ? $names->[$value] : 'other';
}

sub _warnings {
    my ($bits) = @_;
    my @found = grep { $bits & 1 << $_ } 0 .. 31;
    return [map { $WARNINGS[$_] // 'other' } @found];
}

sub _alternatives {
    my ($address, $count) = @_;
    return [] unless $count;
    my $all = buffer_to_scalar($address, $count * $ALTERNATIVE_SIZE);
    return [map {
        my ($url, $length, $reason) = unpack $ALTERNATIVE, substr $all, $_ * $ALTERNATIVE_SIZE, $ALTERNATIVE_SIZE;
        my $bytes = _bytes($url, $length);
        my $text  = $bytes;
        utf8::decode($text);
        {url => $text, reason => _named(\@REASONS, $reason)};
    } 0 .. $count - 1];
}

# Returns the addresses of the hit and of the problem in the urlspool_event at this address. An address can be 0.
sub event {
    my ($address) = @_;
    my (undef, undef, $hit, $problem) = unpack $EVENT, buffer_to_scalar($address, $EVENT_SIZE);
    return ($hit, $problem);
}

# Converts the urlspool_hit at this address to a hash.
sub hit {
    my ($address) = @_;
    my (
        undef, $url, $url_length, $scheme, $scheme_length, $host, $host_length, $offset, $length, $exact, $pieces,
        $pieces_length, $header, $header_length, $form, $tier, $quote_depth, $confidence, $warnings, $doubt,
        $alternatives, $alternatives_length, $line, $part, $part_length, $link_text, $link_text_length, $target,
        $target_length, $message_id, $message_id_length, $has_date, $date, $message, $file, $file_length, $member,
        $member_length
    ) = unpack $HIT, buffer_to_scalar($address, $HIT_SIZE);
    my @numbers = unpack 'Q*', buffer_to_scalar($pieces, $pieces_length * $SPAN_SIZE);
    return {
        url          => _text($url, $url_length),
        scheme       => lc _text($scheme, $scheme_length),
        host         => _text($host, $host_length),
        offset       => $offset,
        length       => $length,
        exact        => $exact ? 1 : 0,
        pieces       => [map { [@numbers[2 * $_, 2 * $_ + 1]] } 0 .. $pieces_length - 1],
        header       => _bytes($header, $header_length),
        form         => _named(\@FORMS, $form),
        tier         => _named(\@TIERS, $tier),
        quote_depth  => $quote_depth,
        confidence   => $confidence || undef,
        warnings     => _warnings($warnings),
        doubt        => _named(\@REASONS, $doubt),
        alternatives => _alternatives($alternatives, $alternatives_length),
        line         => $line,
        part         => _bytes($part, $part_length),
        link_text    => _text($link_text, $link_text_length),
        target       => _text($target, $target_length),
        message_id   => _bytes($message_id, $message_id_length),
        date         => $has_date ? $date : undef,
        message      => $message || undef,
        file         => _bytes($file, $file_length),
        member       => _bytes($member, $member_length),
    };
}

# Converts the urlspool_problem at this address to a hash.
sub problem {
    my ($address) = @_;
    my (undef, $kind, $os_error, $path, $path_length, $text, $text_length, $count) = unpack $PROBLEM,
        buffer_to_scalar($address, $PROBLEM_SIZE);
    return {
        kind     => _named(\@PROBLEMS, $kind),
        os_error => $os_error || undef,
        path     => _bytes($path, $path_length),
        text     => _bytes($text, $text_length),
        count    => $count,
    };
}

1;
