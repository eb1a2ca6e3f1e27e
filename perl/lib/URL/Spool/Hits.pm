package URL::Spool::Hits;

use 5.020;
use strict;
use warnings;

use Carp ();
use URL::Spool::Library ();

our $VERSION = 'v0.1.0';

# The 1 tells Perl not to copy the object to a new thread, because the copy would free the search a second time.
sub CLONE_SKIP { 1 }

# Because of this list, the message of an exception names a line of the user's program, and not a line in URL::Spool.
our @CARP_NOT = ('URL::Spool');

# $search is a pointer to a urlspool_search. The function $problem is called with each problem. If $problem is undef,
# the object stores the problems for the method `problems`.
sub _new {
    my ($class, $search, $problem) = @_;
    return bless {problem => $problem, search => $search, process => $$, problems => []}, $class;
}

sub next {
    my ($self) = @_;
    ref $self && defined $self->{process} or Carp::croak('next is a method of the object that paths() returned');
    return undef unless defined $self->{search};
    # A forked process does not have the threads of the library, so it cannot continue the search.
    my $why = 'this search began before a fork, and only the parent can continue it; in the child, call paths() again';
    $self->{process} == $$ or Carp::croak($why);
    while (1) {
        my $result = URL::Spool::Library::urlspool_search_next($self->{search}, \my $event);
        if ($result != URL::Spool::Library::FOUND) {
            $self->stop;
            return undef if $result == URL::Spool::Library::DONE || $result == URL::Spool::Library::INCOMPLETE;
            # Any other result is a bug, even `INVALID`, because URL::Spool has checked the options.
            Carp::croak("liburlspool has a bug (result $result); its message is on standard error; please report it");
        }
        my ($hit, $problem) = URL::Spool::Library::event($event);
        return URL::Spool::Library::hit($hit) if $hit;
        next unless $problem;
        my $known = URL::Spool::Library::problem($problem);
        if   ($self->{problem}) { $self->{problem}->($known) }
        else                    { push @{$self->{problems}}, $known }
        # The function can have called `stop`.
        return undef unless defined $self->{search};
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
    # At the end of the program, Perl may have unloaded the functions of the library before it destroys this object.
    return if ${^GLOBAL_PHASE} eq 'DESTRUCT';
    local ($@, $!, $?);
    $self->stop;
    return;
}

1;
