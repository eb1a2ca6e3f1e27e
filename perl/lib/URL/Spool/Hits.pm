package URL::Spool::Hits;

use 5.020;
use strict;
use warnings;

use Carp ();
use URL::Spool::Library ();

our $VERSION = 'v0.1.0';

# A new Perl thread would get a copy of the pointer, and free the search a second time.
sub CLONE_SKIP { 1 }

# Exceptions name the line of the program that called the method.
our @CARP_NOT = ('URL::Spool');

# $search is a pointer to a urlspool_search. The function $problem gets the problems. If $problem is undef, the object
# stores the problems.
sub _new {
    my ($class, $search, $problem) = @_;
    return bless {problem => $problem, search => $search, process => $$, problems => []}, $class;
}

sub next {
    my ($self) = @_;
    ref $self && defined $self->{process} or Carp::croak('next is a method of the object that paths() returned');
    return undef unless defined $self->{search};
    # The threads of the library do not exist in a forked process.
    $self->{process} == $$ or Carp::croak('a search cannot continue in a forked process; call paths() again');
    while (1) {
        my ($hit, $problem);
        my $result = URL::Spool::Library::urlspool_search_next($self->{search}, \$hit, \$problem);
        if ($result != URL::Spool::Library::FOUND) {
            $self->stop;
            return undef if $result == URL::Spool::Library::DONE || $result == URL::Spool::Library::INCOMPLETE;
            # URL::Spool has checked the options, so any other result is a bug.
            Carp::croak("liburlspool has a bug (result $result); its message is on standard error; please report it");
        }
        return URL::Spool::Library::hit($hit) if defined $hit;
        my $known = URL::Spool::Library::problem($problem);
        if   ($self->{problem}) { $self->{problem}->($known) }
        else                    { push @{$self->{problems}}, $known }
    }
}

sub all {
    my ($self) = @_;
    my @hits;
    while (defined(my $hit = $self->next)) { push @hits, $hit }
    return @hits;
}

sub problems { return @{$_[0]{problems}} }

sub stop {
    my ($self) = @_;
    my $search = delete $self->{search};
    URL::Spool::Library::urlspool_search_free($search) if defined $search && $self->{process} == $$;
    return;
}

sub DESTROY {
    my ($self) = @_;
    # At the end of the program, the functions of the library may be gone before this object.
    return if ${^GLOBAL_PHASE} eq 'DESTRUCT';
    local ($@, $!, $?);
    $self->stop;
    return;
}

1;
