/* Checks the documented behaviour of the URL parser. */
#include <string.h>
#include <urlspool.h>
#include "check.h"

static urlspool_url *parse(const char *text) {
    urlspool_url_error error;
    urlspool_url *url = urlspool_url_parse((const uint8_t *)text, strlen(text), &error);
    if (!url) fprintf(stderr, "%s: %s\n", text, error.text);
    CHECK(url && url->size == sizeof *url && URLSPOOL_HAS(url, components_length));
    return url;
}

/* Returns whether the `length` bytes at `bytes` are equal to `text`. If `text` is NULL, returns whether `bytes` is
 * NULL. */
static bool is(const uint8_t *bytes, size_t length, const char *text) {
    return text ? bytes && length == strlen(text) && memcmp(bytes, text, length) == 0 : !bytes && length == 0;
}
#define IS(url, field, text) is((url)->field, (url)->field##_length, text)

static void refused(const char *text, size_t offset, const char *name, const char *words) {
    urlspool_url_error error;
    memset(&error, 'x', sizeof error);
    CHECK(urlspool_url_parse((const uint8_t *)text, strlen(text), &error) == NULL);
    CHECK(error.offset == offset && strcmp(error.name, name) == 0 && strcmp(error.text, words) == 0);
}

int main(void) {
    urlspool_url *url = parse("HTTP://ann:pw@WWW.example.org:8080/a/./b%7e?q=1#top");
    CHECK(IS(url, url, "HTTP://ann:pw@WWW.example.org:8080/a/./b%7e?q=1#top") && IS(url, scheme, "HTTP"));
    CHECK(IS(url, user, "ann") && IS(url, password, "pw") && IS(url, host, "WWW.example.org"));
    CHECK(url->port == 8080 && url->port_or_default == 8080);
    CHECK(IS(url, path, "a/./b%7e") && IS(url, query, "q=1") && IS(url, fragment, "top"));
    CHECK(IS(url, normal, "http://ann:pw@www.example.org:8080/a/b~?q=1#top") && IS(url, target, NULL));
    CHECK(url->tier == URLSPOOL_TIER_RELAXED);
    CHECK(url->warnings == (URLSPOOL_WARNING_PASSWORD | URLSPOOL_WARNING_PORT_NOT_DEFAULT));
    CHECK(url->components_length == 6 && IS(&url->components[2], name, "host"));
    CHECK(IS(&url->components[2], text, "WWW.example.org"));

    urlspool_url_error error;
    urlspool_url *joined = urlspool_url_join(url, (const uint8_t *)"../c?d", 6, &error);
    urlspool_url *none = urlspool_url_join(url, (const uint8_t *)"//:x", 4, &error);
    CHECK(!none && error.offset > 0 && error.name[0] && error.text[0]);
    urlspool_url_free(url);
    CHECK(joined && IS(joined, url, "HTTP://ann:pw@WWW.example.org:8080/c?d"));
    urlspool_url_free(joined);

    url = parse("mailto:bob@example.org?subject=x");
    CHECK(IS(url, host, NULL) && IS(url, path, NULL) && IS(url, user, NULL) && IS(url, fragment, NULL));
    CHECK(url->port == -1 && url->port_or_default == -1 && IS(url, query, "subject=x"));
    CHECK(url->components_length == 2 && IS(&url->components[0], name, "addr_spec"));
    CHECK(IS(&url->components[0], text, "bob@example.org"));
    urlspool_url_free(url);

    url = parse("ftp://@ftp.example.org/pub/file;type=i");
    CHECK(IS(url, user, "") && IS(url, password, NULL) && IS(url, path, "pub/file;type=i"));
    CHECK(url->tier == URLSPOOL_TIER_RFC1738 && url->port == -1 && url->port_or_default == 21);
    urlspool_url_free(url);

    url = parse("http://www.example.org?q");
    CHECK(IS(url, query, "q") && (!url->path || url->path_length == 0));
    urlspool_url_free(url);
    url = parse("http://www.example.org/?q?r");
    CHECK(IS(url, query, "q?r") && IS(url, path, ""));
    urlspool_url_free(url);

    url = parse("https://www.google.com/url?q=http://www.example.org/&sa=D");
    CHECK(IS(url, target, "http://www.example.org/"));
    urlspool_url_free(url);

    refused("http://a:99999/", 9, "port-range", "port above 65535 at offset 9 (RFC 793 3.1)");
    refused("http://a/ b", 9, "character", "character must be encoded at offset 9 (RFC 1738 2.2)");
    refused("", 0, "no-scheme", "no scheme at offset 0 (RFC 1738 2.1)");
    CHECK(!urlspool_url_parse((const uint8_t *)"x", 1, NULL));
    CHECK(!urlspool_url_parse(NULL, 1, &error) && strcmp(error.name, "null") == 0);
    CHECK(!urlspool_url_parse(NULL, 0, &error) && strcmp(error.name, "no-scheme") == 0);
    CHECK(!urlspool_url_join(NULL, (const uint8_t *)"a", 1, &error) && strcmp(error.name, "null") == 0);
    urlspool_url_free(NULL);
    return 0;
}
