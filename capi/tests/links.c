/* Converts the message on standard input to HTML, with its URLs as links. */
#include <stdio.h>
#include <strings.h>
#include <urlspool.h>

struct page { const uint8_t *mail; size_t done; };

static void escaped(const uint8_t *text, size_t length) {
    for (; length--; text++)
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"') printf("&#%d;", *text);
        else putchar(*text);
}

static int link_to(const urlspool_event *event, void *context) {
    struct page *page = context; const urlspool_hit *hit = event->hit;
    int is_web = hit && hit->scheme_length > 3 && !strncasecmp((const char *)hit->scheme, "https", hit->scheme_length);
    if (!is_web || !hit->exact || hit->offset < page->done) return 0;
    escaped(page->mail + page->done, hit->offset - page->done);
    printf("<a href=\""), escaped(hit->url, hit->url_length), printf("\">");
    escaped(page->mail + hit->offset, hit->length), printf("</a>");
    page->done = hit->offset + hit->length;
    return 0;
}

int main(void) {
    static uint8_t mail[1 << 20];
    struct page page = {mail, 0};
    size_t length = fread(mail, 1, sizeof mail, stdin);
    urlspool *searcher = urlspool_new();
    int status = urlspool_message(searcher, mail, length, link_to, &page);
    escaped(mail + page.done, length - page.done);
    urlspool_free(searcher);
    return status;
}
