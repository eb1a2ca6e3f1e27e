/* Checks conditions that must be true for any input of the C interface. `tests/fuzz/run capi` runs libFuzzer, which
 * calls LLVMFuzzerTestOneInput. With -DSTANDALONE, main calls LLVMFuzzerTestOneInput for each file on the command line.
 * The first byte of the input selects the options. The second byte sets the number of hits after which a
 * search is stopped. The third byte sets the number of bytes that each read returns. The rest of the input is a
 * message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <urlspool.h>
#include "check.h"

struct input { const uint8_t *at; size_t left, step, hits, stop_at; uint64_t end, sum; };

/* Reads every byte of a string, so that a sanitizer or valgrind reports bytes outside valid memory. */
static uint64_t sum(const uint8_t *bytes, size_t length) {
    uint64_t sum = length;
    CHECK(bytes || length == 0);
    for (size_t i = 0; i < length; i++) sum = sum * 31 + bytes[i];
    return sum;
}

static int see(const urlspool_event *event, void *context) {
    struct input *input = context;
    const urlspool_hit *hit = event->hit;
    CHECK(event->size == sizeof *event && (hit != NULL) == (event->kind == URLSPOOL_EVENT_HIT));
    CHECK((event->problem != NULL) == (event->kind == URLSPOOL_EVENT_PROBLEM));
    if (!hit) return 0;
    CHECK(hit->size == sizeof *hit && hit->url && hit->scheme && hit->pieces && hit->pieces_length);
    CHECK(hit->length > 0 && hit->offset + hit->length <= input->end);
    uint64_t at = hit->offset;
    for (size_t i = 0; i < hit->pieces_length; i++) {
        CHECK(hit->pieces[i].offset >= at);
        at = hit->pieces[i].offset + hit->pieces[i].length;
    }
    CHECK(at <= hit->offset + hit->length);
    CHECK((hit->alternatives == NULL) == (hit->alternatives_length == 0));
    for (size_t i = 0; i < hit->alternatives_length; i++)
        input->sum += sum(hit->alternatives[i].url, hit->alternatives[i].url_length);
    input->sum += sum(hit->url, hit->url_length) + sum(hit->scheme, hit->scheme_length) + sum(hit->host, hit->host_length);
    input->sum += sum(hit->header, hit->header_length) + sum(hit->part, hit->part_length);
    input->sum += sum(hit->link_text, hit->link_text_length) + sum(hit->target, hit->target_length);
    input->sum += sum(hit->message_id, hit->message_id_length) + hit->offset + hit->line;
    return ++input->hits == input->stop_at;
}

static ssize_t read_some(void *context, uint8_t *buffer, size_t length) {
    struct input *input = context;
    size_t count = input->left < input->step ? input->left : input->step;
    if (count > length) count = length;
    memcpy(buffer, input->at, count);
    input->at += count;
    input->left -= count;
    return (ssize_t)count;
}

/* Gets at most `stop_at` hits of a search, and frees the search. */
static int gather(urlspool_search *search, struct input *input) {
    const urlspool_event *event = NULL;
    int result;
    while ((result = urlspool_search_next(search, &event)) == URLSPOOL_FOUND)
        if (see(event, input)) break;
    CHECK((result == URLSPOOL_FOUND) == (event != NULL));
    urlspool_search_free(search);
    return result == URLSPOOL_FOUND ? URLSPOOL_STOPPED : result;
}

/* Parses the first line of `text` as a URL, and resolves the rest of `text` relative to this URL. */
static void see_url(const uint8_t *text, size_t length) {
    const uint8_t *end = length ? memchr(text, '\n', length) : NULL;
    size_t first = end ? (size_t)(end - text) : length;
    urlspool_url_error error;
    urlspool_url *url = urlspool_url_parse(text, first, &error);
    if (!url) {
        CHECK(error.offset <= first);
        CHECK(!urlspool_url_parse(text, first, NULL));
        return;
    }
    urlspool_url *joined = urlspool_url_join(url, end ? end + 1 : NULL, end ? length - first - 1 : 0, NULL);
    urlspool_url_free(url);
    if (joined) CHECK(sum(joined->normal, joined->normal_length) || 1);
    urlspool_url_free(joined);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3) return 0;
    const uint8_t *text = data + 3;
    size_t length = size - 3;
    struct input none = {0};
    static const char *const parts[] = {"headers,text,html", "text,html", "headers", "headers,text"};
    urlspool *searcher = urlspool_new();
    CHECK(urlspool_option_set(searcher, "in", parts[data[0] & 3]) == URLSPOOL_DONE);
    CHECK(urlspool_option_set(searcher, "join", data[0] & 4 ? "never" : "likely") == URLSPOOL_DONE);
    CHECK(urlspool_option_set(searcher, "hyphen", data[0] & 8 ? "drop" : "keep") == URLSPOOL_DONE);
    /* If an argument that must not be NULL is NULL, the function returns an error and does not crash. */
    CHECK(urlspool_message(NULL, text, length, see, &none) == URLSPOOL_NULL);
    CHECK(urlspool_message(searcher, text, length, NULL, &none) == URLSPOOL_NULL);
    CHECK(urlspool_message(searcher, NULL, SIZE_MAX, see, &none) == URLSPOOL_NULL);
    CHECK(urlspool_text(searcher, NULL, 1, see, &none) == URLSPOOL_NULL);
    CHECK(urlspool_text(searcher, NULL, 0, see, &none) == URLSPOOL_DONE);
    CHECK(urlspool_read(searcher, NULL, NULL, see, &none) == URLSPOOL_NULL);
    CHECK(!urlspool_url_parse(NULL, SIZE_MAX, NULL) && !urlspool_url_join(NULL, text, length, NULL));

    struct input all = {.end = length}, again = {.end = length}, some = {.end = length, .stop_at = 1 + data[1] % 4};
    CHECK(urlspool_message(searcher, text, length, see, &all) == URLSPOOL_DONE);
    CHECK(urlspool_message(searcher, text, length, see, &again) == URLSPOOL_DONE);
    CHECK(all.hits == again.hits && all.sum == again.sum);
    int stopped = urlspool_message(searcher, text, length, see, &some);
    CHECK(stopped == (all.hits >= some.stop_at ? URLSPOOL_STOPPED : URLSPOOL_DONE));
    CHECK(some.hits == (all.hits < some.stop_at ? all.hits : some.stop_at));
    struct input plain = {.end = length};
    CHECK(urlspool_text(searcher, text, length, see, &plain) == URLSPOOL_DONE);

    /* A search without callbacks finds the same URLs. */
    struct input next = {.end = length}, next_some = {.end = length, .stop_at = some.stop_at}, next_plain = {.end = length};
    CHECK(gather(urlspool_search_message(searcher, text, length), &next) == URLSPOOL_DONE);
    CHECK(next.hits == all.hits && next.sum == all.sum);
    CHECK(gather(urlspool_search_message(searcher, text, length), &next_some) == stopped);
    CHECK(next_some.hits == some.hits && next_some.sum == some.sum);
    CHECK(gather(urlspool_search_text(searcher, text, length), &next_plain) == URLSPOOL_DONE);
    CHECK(next_plain.hits == plain.hits && next_plain.sum == plain.sum);
    CHECK(gather(urlspool_search_message(searcher, NULL, SIZE_MAX), &none) == URLSPOOL_NULL);

    struct input whole = {text, length, SIZE_MAX, 0, 0, UINT64_MAX, 0}, pieces = {text, length, 1 + data[2], 0, 0, UINT64_MAX, 0};
    int result = urlspool_read(searcher, read_some, "file", see, &whole);
    CHECK(result == URLSPOOL_DONE || result == URLSPOOL_INCOMPLETE);
    CHECK(urlspool_read(searcher, read_some, "file", see, &pieces) == result);
    CHECK(whole.hits == pieces.hits && whole.sum == pieces.sum);
    urlspool_free(searcher);
    see_url(text, length);
    return 0;
}

#ifdef STANDALONE
int main(int count, char **names) {
    static uint8_t data[1 << 16];
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(names[i], "rb");
        CHECK(file);
        size_t size = 3 + fread(data + 3, 1, sizeof data - 3, file);
        fclose(file);
        for (int options = 0; options < 16; options++) {
            data[0] = (uint8_t)options;
            data[1] = data[2] = (uint8_t)i;
            LLVMFuzzerTestOneInput(data, size);
        }
    }
    return 0;
}
#endif
