/* Checks the documented behaviour of urlspool_message and urlspool_text. */
#include <pthread.h>
#include <string.h>
#include <urlspool.h>
#include "check.h"

static const char mail[] =
    "Subject: x\nX-URL: http://www.example.org/h\nContent-Transfer-Encoding: quoted-printable\n\n"
    "> <URL:ftp://ftp.example.org/a=\nb> and http:///none\nmailto:bob@example.org\n";

struct seen { size_t hits, stop_at; urlspool_hit last[8]; char urls[8][64]; };

static int see(const urlspool_event *event, void *context) {
    struct seen *seen = context;
    const urlspool_hit *hit = event->hit;
    CHECK((hit != NULL) == (event->kind == URLSPOOL_EVENT_HIT) && !event->problem);
    if (!hit) return 0;
    size_t at = seen->hits++;
    CHECK(at < 8 && hit->url_length < 64 && hit->url && hit->scheme && hit->pieces && hit->pieces_length);
    seen->last[at] = *hit;
    memcpy(seen->urls[at], hit->url, hit->url_length);
    seen->urls[at][hit->url_length] = 0;
    CHECK((hit->host == NULL) == (strncmp(seen->urls[at], "mailto:", 7) == 0));
    return seen->hits == seen->stop_at;
}

/* The last hit, with copies of the data that it points to. */
struct details {
    size_t hits;
    urlspool_hit hit;
    urlspool_span pieces[4];
    urlspool_alternative other;
    char text[6][96];
};

static int look(const urlspool_event *event, void *context) {
    struct details *seen = context;
    const urlspool_hit *hit = event->hit;
    if (!hit) return 0;
    memset(seen->text, 0, sizeof seen->text);
    CHECK(hit->size == sizeof *hit && URLSPOOL_HAS(hit, member_length) && hit->pieces_length <= 4);
    seen->hits++;
    seen->hit = *hit;
    memcpy(seen->pieces, hit->pieces, hit->pieces_length * sizeof *hit->pieces);
    CHECK((hit->alternatives == NULL) == (hit->alternatives_length == 0));
    if (hit->alternatives) {
        seen->other = hit->alternatives[0];
        memcpy(seen->text[0], seen->other.url, seen->other.url_length);
    }
    const uint8_t *const bytes[] = {hit->url, hit->part, hit->link_text, hit->target, hit->message_id};
    const size_t lengths[] = {hit->url_length, hit->part_length, hit->link_text_length, hit->target_length,
                              hit->message_id_length};
    for (int i = 0; i < 5; i++) {
        CHECK(lengths[i] < 96 && (bytes[i] || lengths[i] == 0));
        if (bytes[i]) memcpy(seen->text[i + 1], bytes[i], lengths[i]);
    }
    return 0;
}

static struct details details(urlspool *searcher, const char *message) {
    struct details seen = {0};
    CHECK(urlspool_message(searcher, (const uint8_t *)message, strlen(message), look, &seen) == URLSPOOL_DONE);
    return seen;
}

static void all_details(urlspool *searcher) {
    struct details seen = details(searcher,
        "Message-ID: <1@example.org>\nDate: Thu, 1 Jan 1970 00:01:00 +0000\nMIME-Version: 1.0\n"
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nnothing\n--b\nContent-Type: text/html\n\n"
        "<a\nhref='http://me:secret@evil.example:81/'>http://bank.com/</a>\n--b--\n");
    CHECK(seen.hits == 2);
    CHECK(strcmp(seen.text[2], "2") == 0 && strcmp(seen.text[5], "1@example.org") == 0);
    CHECK(seen.hit.has_date && seen.hit.date == 60 && seen.hit.message == 0 && !seen.hit.file && !seen.hit.member);
    CHECK(strcmp(seen.text[1], "http://bank.com/") == 0 && seen.hit.line == 13 && seen.hit.warnings == 0);

    seen = details(searcher, "Content-Type: text/html\n\n<a href='http://me:secret@evil.example:81/'>bank.com</a>\n");
    CHECK(seen.hits == 1 && seen.hit.form == URLSPOOL_FORM_HREF && strcmp(seen.text[3], "bank.com") == 0);
    CHECK(seen.hit.warnings == (URLSPOOL_WARNING_PASSWORD | URLSPOOL_WARNING_PORT_NOT_DEFAULT |
                                URLSPOOL_WARNING_PORT_RESERVED | URLSPOOL_WARNING_SHOWN_AS_OTHER_HOST));
    CHECK(!seen.hit.has_date && seen.hit.date == 0 && !seen.hit.message_id && !seen.hit.part == !seen.text[2][0]);

    seen = details(searcher, "Subject: x\n\n<http://www.example.org/long-\nname.html>\n");
    CHECK(seen.hits == 1 && strcmp(seen.text[1], "http://www.example.org/long-name.html") == 0);
    CHECK(seen.hit.pieces_length == 2 && seen.pieces[0].offset == 13 && seen.pieces[0].length == 28);
    CHECK(seen.pieces[1].offset == 42 && seen.pieces[1].length == 9 && seen.hit.offset == 13 && seen.hit.length == 38);
    CHECK(seen.hit.doubt == URLSPOOL_REASON_NONE && seen.hit.alternatives_length == 1);
    CHECK(strcmp(seen.text[0], "http://www.example.org/longname.html") == 0);
    CHECK(seen.other.reason == URLSPOOL_REASON_HYPHEN);
    seen = details(searcher, "Subject: x\n\n<URL:http://www.example.org/a b.html>\n");
    CHECK(strcmp(seen.text[1], "http://www.example.org/ab.html") == 0 && seen.hit.doubt == URLSPOOL_REASON_TOKENS);
    CHECK(strcmp(seen.text[0], "http://www.example.org/a") == 0 && seen.other.reason == URLSPOOL_REASON_TOKENS);

    seen = details(searcher, "Subject: x\n\nhttps://www.google.com/url?q=http://www.example.org/%3Fa&sa=D\n");
    CHECK(seen.hits == 1 && strcmp(seen.text[4], "http://www.example.org/?a") == 0);
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
    urlspool_free(NULL);
    urlspool *searcher = urlspool_new();
    CHECK(searcher);
    const uint8_t *bytes = (const uint8_t *)mail;
    const size_t length = sizeof mail - 1;

    struct seen seen = {0};
    CHECK(urlspool_message(searcher, bytes, length, see, &seen) == URLSPOOL_DONE && seen.hits == 3);
    CHECK(strcmp(seen.urls[0], "http://www.example.org/h") == 0 && seen.last[0].header_length == 5);
    CHECK(strcmp(seen.urls[1], "ftp://ftp.example.org/ab") == 0 && seen.last[1].header == NULL);
    CHECK(seen.last[1].exact && memcmp(mail + seen.last[1].offset, "ftp://ftp.example.org/a=\nb>", 27) == 0);
    CHECK(seen.last[1].length == 26 && seen.last[1].quote_depth == 1);
    CHECK(seen.last[1].form == URLSPOOL_FORM_WRAPPED && seen.last[1].tier == URLSPOOL_TIER_RFC1738);
    CHECK(strcmp(seen.urls[2], "mailto:bob@example.org") == 0 && seen.last[2].form == URLSPOOL_FORM_BARE);

    seen = (struct seen){.stop_at = 2};
    CHECK(urlspool_message(searcher, bytes, length, see, &seen) == URLSPOOL_STOPPED && seen.hits == 2);
    CHECK(urlspool_message(NULL, bytes, length, see, &seen) == URLSPOOL_NULL);
    CHECK(urlspool_message(searcher, NULL, 1, see, &seen) == URLSPOOL_NULL);
    CHECK(urlspool_message(searcher, bytes, length, NULL, &seen) == URLSPOOL_NULL);
    CHECK(urlspool_message(searcher, NULL, 0, see, &seen) == URLSPOOL_DONE && seen.hits == 2);

    const char *text = "> <http://www.example.org/a/\n> b.html>";
    seen = (struct seen){0};
    CHECK(urlspool_text(searcher, (const uint8_t *)text, strlen(text), see, &seen) == URLSPOOL_DONE && seen.hits == 1);
    CHECK(strcmp(seen.urls[0], "http://www.example.org/a/b.html") == 0 && seen.last[0].pieces_length == 2);
    CHECK(seen.last[0].offset == 3 && seen.last[0].length == strlen(text) - 4);

    urlspool *other = urlspool_new();
    CHECK(urlspool_option_set(other, "in", "headers") == URLSPOOL_DONE && !urlspool_option_error(other));
    CHECK(urlspool_option_set(other, "in", "head") == URLSPOOL_INVALID && urlspool_option_error(other));
    seen = (struct seen){0};
    CHECK(urlspool_message(other, bytes, length, see, &seen) == URLSPOOL_DONE && seen.hits == 1);
    urlspool_free(other);

    char *html = urlspool_linkify(searcher, (const uint8_t *)text, strlen(text));
    CHECK(html && !strncmp(html, "&gt; &lt;<a href=\"http://www.example.org/a/b.html\">http://www.example.org/a/</a>", 80));
    urlspool_linkify_free(html);
    urlspool_linkify_free(NULL);
    CHECK(!urlspool_linkify(NULL, NULL, 0) && !urlspool_linkify(searcher, NULL, 1));
    CHECK(strstr(urlspool_linked(), "https ") && !strstr(urlspool_linked(), "javascript"));
    urlspool *page = urlspool_new();
    const char *link = "<a href='http://a.example/?b&amp;c'>";
    seen = (struct seen){0};
    CHECK(urlspool_option_set(page, "format", "html") == URLSPOOL_DONE);
    CHECK(urlspool_message(page, (const uint8_t *)link, strlen(link), see, &seen) == URLSPOOL_DONE && seen.hits == 1);
    CHECK(strcmp(seen.urls[0], "http://a.example/?b&c") == 0);
    urlspool_free(page);

    const char *lines = "http://a.example/\n\nhttp://b:x@b.example/";
    struct details last = {0};
    CHECK(urlspool_text(searcher, (const uint8_t *)lines, strlen(lines), look, &last) == URLSPOOL_DONE);
    CHECK(last.hits == 2 && last.hit.line == 3 && last.hit.warnings == URLSPOOL_WARNING_PASSWORD);
    CHECK(!last.hit.part && !last.hit.file);
    all_details(searcher);

    pthread_t threads[4];
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, work, searcher) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    urlspool_free(searcher);
    return 0;
}
