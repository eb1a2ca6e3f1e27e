# Checks that the hits equal the lines of the command's --json, in all fields that both have.
use strict;
use warnings;
use JSON::PP ();
use MIME::Base64 qw(decode_base64);
use Test::More;
use Time::Local qw(timegm);
use URL::Spool;

require './t/lib.pl';
my ($root, $command) = (root(), command());
plan skip_all => 'the corpus is not here, or URLSPOOL does not name the command' unless $root && $command;
my @archives = split /:/, $ENV{URLSPOOL_ARCHIVES} // 'corpus:corpus/mail';
chdir $root or die;

my $compared = JSON::PP->new->canonical->allow_nonref;

# Converts a field of a row to the form that it has in a hit.
sub wanted {
    my ($row, $name) = @_;
    my $value = $row->{$name};
    if ($name eq 'exact') { return $row->{exact} ? 1 : 0 }
    if (my $bytes = $row->{"${name}_bytes"}) { return decode_base64($bytes) }
    if ($name =~ /\A(?:file|member|message_id|header|part)\z/ && defined $value) {
        utf8::encode($value);
        $value =~ s/\A\[(.*)\]\z/$1/ if $name eq 'part';
        return $value eq '' && $name eq 'part' ? undef : $value;
    }
    if ($name eq 'date' && defined $value) {
        my ($year, $month, @rest) = $value =~ /\A(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)Z\z/ or die $value;
        return timegm(reverse(@rest), $month - 1, $year);
    }
    return $value // [] if $name eq 'warnings';
    return [map { {url => $_->{url}, reason => $_->{reason}} } @{$value // []}] if $name eq 'alternatives';
    return $value;
}

for my $archive (@archives) {
    for my $threads ($archive eq 'corpus' ? (0) : (0, 2)) {
        open my $json, '-|', $command, '--json', $archive or die "$command: $!";
        my $spool = URL::Spool->new(threads => $threads);
        my $hits = $spool->paths($archive);
        my ($number, @wrong) = (0);
        while (my $line = <$json>) {
            my $row = JSON::PP::decode_json($line);
            my $hit = $hits->next;
            $number++;
            if (!$hit) { push @wrong, "no hit for row $number"; last }
            for my $name (sort keys %$hit) {
                next if $name eq 'pieces';
                exists $row->{$name} or die "the command has no field $name";
                my $want = wanted($row, $name);
                my ($got, $expected) = map { $compared->encode(ref $_ || !defined $_ ? $_ : "$_") } $hit->{$name}, $want;
                push @wrong, "row $number ($hit->{file}), $name: $got, not $expected" if $got ne $expected;
            }
        }
        close $json;
        push @wrong, 'there are more hits than rows' if $hits->next;
        is "@wrong[0 .. ($#wrong < 9 ? $#wrong : 9)]", '', "$archive, threads $threads: $number hits equal the command's rows";
        cmp_ok $number, '>', 100, 'there are hits';
        for my $problem ($hits->problems) {
            like $problem->{text}, qr/\A\Q$problem->{path}\E/, 'a problem names its file';
        }
    }
}

done_testing;
