/*
 * urlspool: finds the URLs in mail and news, with their places. See the README of urlspool.
 *
 * Bytes in, never strings: nothing here ends with a NUL but what urlspool_version() gives. No call keeps state
 * between calls, or lets a Rust panic through. A searcher may be used by several threads at once.
 */

#ifndef URLSPOOL_H
#define URLSPOOL_H

/* Written by cbindgen from capi/src/lib.rs: change that, and see capi/tests/c.rs. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// Of urlspool_new: header fields are not looked at.
#define URLSPOOL_NO_HEADERS 1

// Of urlspool_new: nothing but header fields is looked at.
#define URLSPOOL_ONLY_HEADERS 2

// Of urlspool_new: HTML parts are not looked at.
#define URLSPOOL_NO_HTML 4

// Of urlspool_new: a URL without brackets ends with its line.
#define URLSPOOL_NO_REJOIN 8

// Of urlspool_new: a hyphen at a line's end inside a URL is a typesetter's.
#define URLSPOOL_DROP_HYPHEN 16

// What urlspool_message and urlspool_text give: all was told.
#define URLSPOOL_DONE 0

// The callback ended it.
#define URLSPOOL_STOPPED 1

// A pointer was NULL that must not be.
#define URLSPOOL_NULL -1

// An error in urlspool itself; what was told before counts. Please report it.
#define URLSPOOL_PANIC -2

// In urlspool_hit: `<URL:...>`.
#define URLSPOOL_FORM_WRAPPED 0

// In urlspool_hit: `<scheme:...>`.
#define URLSPOOL_FORM_ANGLE 1

// In urlspool_hit: with nothing around it.
#define URLSPOOL_FORM_BARE 2

// In urlspool_hit: `URL:...` without brackets.
#define URLSPOOL_FORM_PREFIXED 3

// In urlspool_hit: in an HTML attribute.
#define URLSPOOL_FORM_HREF 4

// In urlspool_hit: a form that was added after this header was written.
#define URLSPOOL_FORM_OTHER -1

// In urlspool_hit: the URL is one by RFC 1738, section 5.
#define URLSPOOL_TIER_RFC1738 0

// In urlspool_hit: it would be, were its unsafe characters encoded.
#define URLSPOOL_TIER_RELAXED 1

// In urlspool_hit: it is one by RFC 3986.
#define URLSPOOL_TIER_RFC3986 2

// In urlspool_hit: it is one by RFC 3987.
#define URLSPOOL_TIER_IRI 3

// A searcher; only pointers to it are handed out.
typedef struct urlspool urlspool;

// Some bytes of the input.
typedef struct {
  // The offset of the first one, from 0.
  uint64_t offset;
  // How many there are.
  uint64_t length;
} urlspool_span;

// A URL. It and all that it points to is gone when the callback returns. Later versions may add fields at its end.
typedef struct {
  // The URL as written, put together if it was broken; with its fragment. Not NULL.
  const uint8_t *url;
  // How many bytes that is.
  size_t url_length;
  // Its scheme, as written. Not NULL. Links are best made of known ones only: `javascript:` is one, too.
  const uint8_t *scheme;
  // How many bytes that is.
  size_t scheme_length;
  // Its host; NULL if it has none.
  const uint8_t *host;
  // How many bytes that is.
  size_t host_length;
  // From its first to its last byte in the input, with line breaks and encodings between; if it is not exact, the
  // part of the message that it stands in.
  uint64_t offset;
  // How many bytes of the input that is.
  uint64_t length;
  // Whether offset and length are those of the URL itself.
  bool exact;
  // The pieces of the input that make up the URL, in order: for urlspool_text. For urlspool_message the one piece is
  // that of offset and length. Not NULL.
  const urlspool_span *pieces;
  // How many there are: 1 or more.
  size_t pieces_length;
  // The name of the header field that it stands in; NULL if in none.
  const uint8_t *header;
  // How many bytes that is.
  size_t header_length;
  // One of URLSPOOL_FORM_...
  int form;
  // One of URLSPOOL_TIER_...
  int tier;
  // How many quote marks its line begins with.
  size_t quote_depth;
  // How likely a URL that was rejoined without brackets around it is the one that was meant, in percent; 0 for every other
  // URL.
  int confidence;
} urlspool_hit;

// Takes a URL, and gives 0 to go on, anything else to stop. It must neither throw nor jump out.
typedef int (*urlspool_callback)(const urlspool_hit *hit, void *context);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version, as `0.1.0`. Ends with a NUL, and is not to be freed.
const char *urlspool_version(void);

// A searcher; `flags` is 0, or some of URLSPOOL_NO_HEADERS and so on, added. NULL if there is no such flag, or two of
// them contradict each other. To be freed with urlspool_free.
urlspool *urlspool_new(uint32_t flags);

// Frees a searcher, once, when no thread uses it any more; NULL is nothing to free.
//
// # Safety
//
// `searcher` is NULL, or was given by urlspool_new and not freed yet.
void urlspool_free(urlspool *searcher);

// Tells of the URLs of one message: headers, a blank line, the body, with all encodings undone. In the order of their
// place, but those in the attributes of an HTML text come before those between its tags. `message` may be NULL if
// `length` is 0; above 4 GiB it is read as text. Gives URLSPOOL_DONE and so on. Takes time and memory in
// proportion to the message.
//
// # Safety
//
// `searcher` came from urlspool_new, `message` points to `length` bytes that nobody changes meanwhile, and
// `callback` can be called with `context`.
int urlspool_message(const urlspool *searcher,
                     const uint8_t *message,
                     size_t length,
                     urlspool_callback callback,
                     void *context);

// Tells of the URLs of a text that is decoded already: no headers, no MIME, no HTML; in the order of their place. The rest
// is as with urlspool_message.
//
// # Safety
//
// As with urlspool_message.
int urlspool_text(const urlspool *searcher,
                  const uint8_t *text,
                  size_t length,
                  urlspool_callback callback,
                  void *context);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* URLSPOOL_H */
