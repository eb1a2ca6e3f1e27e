/* mailbox THREADS STOP-AFTER PATH...: prints the URLs in files and directories, and an error for each file that could
 * not be read. With the path `stream`, a callback reads standard input. With the path `fails`, this callback returns an
 * error. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <urlspool.h>
#include "check.h"

struct run { pthread_t thread; long left; bool fails; };

static void on_hit(const urlspool_hit *hit) {
    CHECK(hit->size == sizeof *hit);
    printf("%.*s", (int)hit->file_length, (const char *)hit->file);
    if (hit->member) printf("!%.*s", (int)hit->member_length, (const char *)hit->member);
    printf(":%llu message %llu", (unsigned long long)hit->line, (unsigned long long)hit->message);
    if (hit->message_id) printf(" <%.*s>", (int)hit->message_id_length, (const char *)hit->message_id);
    if (hit->has_date) printf(" at %lld", (long long)hit->date);
    printf(" %.*s\n", (int)hit->url_length, (const char *)hit->url);
}

static void on_problem(const urlspool_problem *problem) {
    CHECK(problem->size == sizeof *problem && URLSPOOL_HAS(problem, count) && problem->path && problem->count == 1);
    printf("problem %d, errno %d: ", problem->kind, problem->os_error);
    printf("%.*s\n", (int)problem->text_length, (const char *)problem->text);
}

static int on_detail(int kind, const urlspool_detail *detail) {
    CHECK(detail->size == sizeof *detail && kind >= URLSPOOL_EVENT_REJECT && kind <= URLSPOOL_EVENT_DIAGNOSTIC);
    return 0;
}

static int on_event(const urlspool_event *event, void *context) {
    struct run *run = context;
    CHECK(pthread_equal(pthread_self(), run->thread) && event->size == sizeof *event);
    CHECK((event->hit != NULL) + (event->problem != NULL) + (event->detail != NULL) == 1);
    if (event->detail) return on_detail(event->kind, event->detail);
    if (event->hit) on_hit(event->hit);
    else on_problem(event->problem);
    return --run->left == 0;
}

static ptrdiff_t on_read(void *context, uint8_t *buffer, size_t length) {
    struct run *run = context;
    CHECK(pthread_equal(pthread_self(), run->thread));
    if (run->fails) return errno = EIO, -1;
    return read(STDIN_FILENO, buffer, length);
}

static ptrdiff_t too_long(void *context, uint8_t *buffer, size_t length) {
    (void)context, (void)buffer;
    return (ptrdiff_t)length + 1;
}

static int ignore(const urlspool_event *event, void *context) {
    (void)event, (void)context;
    return 0;
}

static void invalid(urlspool *searcher) {
    struct run run = {pthread_self(), 0, false};
    const char *paths[] = {"/dev/null", NULL};
    CHECK(urlspool_paths(searcher, paths, 1, ignore, &run) == URLSPOOL_DONE);
    CHECK(urlspool_paths(searcher, paths, 2, ignore, &run) == URLSPOOL_NULL);
    CHECK(urlspool_paths(searcher, NULL, 1, ignore, &run) == URLSPOOL_NULL);
    CHECK(urlspool_paths(searcher, NULL, 0, ignore, &run) == URLSPOOL_DONE);
    CHECK(urlspool_paths(NULL, paths, 1, ignore, &run) == URLSPOOL_NULL);
    CHECK(urlspool_paths(searcher, paths, 1, NULL, &run) == URLSPOOL_NULL);
    CHECK(urlspool_read(searcher, NULL, NULL, ignore, &run) == URLSPOOL_NULL);
    CHECK(urlspool_read(searcher, too_long, NULL, ignore, &run) == URLSPOOL_INCOMPLETE);
    paths[0] = "/nothing/is/here";
    CHECK(urlspool_paths(searcher, paths, 1, ignore, &run) == URLSPOOL_INCOMPLETE);
}

int main(int count, char **arguments) {
    CHECK(count > 3);
    urlspool *searcher = urlspool_new();
    invalid(searcher);
    CHECK(urlspool_option_set(searcher, "threads", arguments[1]) == URLSPOOL_DONE);
    struct run run = {pthread_self(), atol(arguments[2]), strcmp(arguments[3], "fails") == 0};
    int result;
    if (run.fails || strcmp(arguments[3], "stream") == 0) {
        CHECK(urlspool_option_set(searcher, "since", "@61") == URLSPOOL_DONE);
        result = urlspool_read(searcher, on_read, arguments[3], on_event, &run);
    } else {
        const char *const *paths = (const char *const *)arguments + 3;
        result = urlspool_paths(searcher, paths, (size_t)count - 3, on_event, &run);
    }
    printf("result %d\n", result);
    urlspool_free(searcher);
    return 0;
}
