/* Holds urlspool.h to its word; ends with the number of the line that fails. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <urlspool.h>

#define CHECK(what) do { if (!(what)) exit(__LINE__ > 255 ? 255 : __LINE__); } while (0)

static const char mail[] =
    "Subject: x\nX-URL: http://www.example.org/h\nContent-Transfer-Encoding: quoted-printable\n\n"
    "> <URL:ftp://ftp.example.org/a=\nb> and http:///none\nmailto:bob@example.org\n";

struct seen { size_t hits, stop_at; urlspool_hit last[8]; char urls[8][64]; };

static int see(const urlspool_hit *hit, void *context) {
    struct seen *seen = context;
    size_t at = seen->hits++;
    CHECK(at < 8 && hit->url_length < 64 && hit->url && hit->scheme && hit->pieces && hit->pieces_length);
    seen->last[at] = *hit;
    memcpy(seen->urls[at], hit->url, hit->url_length);
    seen->urls[at][hit->url_length] = 0;
    CHECK((hit->host == NULL) == (strncmp(seen->urls[at], "mailto:", 7) == 0));
    return seen->hits == seen->stop_at;
}

static void *work(void *searcher) {
    for (int i = 0; i < 20; i++) {
        struct seen seen = {0};
        CHECK(urlspool_message(searcher, (const uint8_t *)mail, sizeof mail - 1, see, &seen) == URLSPOOL_DONE);
        CHECK(seen.hits == 3);
    }
    return NULL;
}

int main(void) {
    CHECK(strchr(urlspool_version(), '.'));
    CHECK(urlspool_new(1u << 31) == NULL);
    CHECK(urlspool_new(URLSPOOL_NO_HEADERS | URLSPOOL_ONLY_HEADERS) == NULL);
    urlspool_free(NULL);
    urlspool *searcher = urlspool_new(0);
    CHECK(searcher);
    const uint8_t *octets = (const uint8_t *)mail;
    const size_t length = sizeof mail - 1;

    struct seen seen = {0};
    CHECK(urlspool_message(searcher, octets, length, see, &seen) == URLSPOOL_DONE && seen.hits == 3);
    CHECK(strcmp(seen.urls[0], "http://www.example.org/h") == 0 && seen.last[0].header_length == 5);
    CHECK(strcmp(seen.urls[1], "ftp://ftp.example.org/ab") == 0 && seen.last[1].header == NULL);
    CHECK(seen.last[1].exact && memcmp(mail + seen.last[1].offset, "ftp://ftp.example.org/a=\nb>", 27) == 0);
    CHECK(seen.last[1].length == 26 && seen.last[1].quote_depth == 1);
    CHECK(seen.last[1].form == URLSPOOL_FORM_WRAPPED && seen.last[1].tier == URLSPOOL_TIER_RFC1738);
    CHECK(strcmp(seen.urls[2], "mailto:bob@example.org") == 0 && seen.last[2].form == URLSPOOL_FORM_BARE);

    seen = (struct seen){.stop_at = 2};
    CHECK(urlspool_message(searcher, octets, length, see, &seen) == URLSPOOL_STOPPED && seen.hits == 2);
    CHECK(urlspool_message(NULL, octets, length, see, &seen) == URLSPOOL_NULL);
    CHECK(urlspool_message(searcher, NULL, 1, see, &seen) == URLSPOOL_NULL);
    CHECK(urlspool_message(searcher, octets, length, NULL, &seen) == URLSPOOL_NULL);
    CHECK(urlspool_message(searcher, NULL, 0, see, &seen) == URLSPOOL_DONE && seen.hits == 2);

    const char *text = "> <http://www.example.org/a/\n> b.html>";
    seen = (struct seen){0};
    CHECK(urlspool_text(searcher, (const uint8_t *)text, strlen(text), see, &seen) == URLSPOOL_DONE && seen.hits == 1);
    CHECK(strcmp(seen.urls[0], "http://www.example.org/a/b.html") == 0 && seen.last[0].pieces_length == 2);
    CHECK(seen.last[0].offset == 3 && seen.last[0].length == strlen(text) - 4);

    urlspool *other = urlspool_new(URLSPOOL_ONLY_HEADERS | URLSPOOL_NO_HTML | URLSPOOL_NO_REJOIN | URLSPOOL_DROP_HYPHEN);
    seen = (struct seen){0};
    CHECK(other && urlspool_message(other, octets, length, see, &seen) == URLSPOOL_DONE && seen.hits == 1);
    urlspool_free(other);

    pthread_t threads[4];
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, work, searcher) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    urlspool_free(searcher);
    return 0;
}
