/*
 * urlspool: finds the URLs in mail and news, with their places. capi/README.md is the reference.
 *
 * Text is a pointer and a length. Only what urlspool_version() returns and the text of urlspool_url_error end with a NUL.
 * No Rust panic leaves a function. Several threads may use one searcher at once.
 */

#ifndef URLSPOOL_H
#define URLSPOOL_H

/* Written by cbindgen from capi/src: change that, and see capi/tests/c.rs. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// Whether the library that is running has this field of a struct that begins with its size. A field that is listed as
// part of version 0.1 is always there.
#define URLSPOOL_HAS(object, field) \
    ((size_t)((const char *)(&(object)->field + 1) - (const char *)(object)) <= (object)->size)

// For urlspool_new: header fields are not searched.
#define URLSPOOL_NO_HEADERS 1

// For urlspool_new: only header fields are searched.
#define URLSPOOL_ONLY_HEADERS 2

// For urlspool_new: HTML parts are not searched.
#define URLSPOOL_NO_HTML 4

// For urlspool_new: a URL without brackets ends at the end of its line.
#define URLSPOOL_NO_REJOIN 8

// For urlspool_new: a hyphen at the end of a line inside a URL is not part of the URL.
#define URLSPOOL_DROP_HYPHEN 16

// A result: all input was read and all URLs were reported.
#define URLSPOOL_DONE 0

// A result: a callback stopped the search.
#define URLSPOOL_STOPPED 1

// A result: some input could not be read, or not to its end. Everything else was read.
#define URLSPOOL_INCOMPLETE 2

// A result: a pointer is NULL that must not be. Nothing was read.
#define URLSPOOL_NULL -1

// A result: an error in urlspool itself. URLs that were reported before are valid. Please report it.
#define URLSPOOL_PANIC -2

// A result: an option is invalid. Nothing was read.
#define URLSPOOL_INVALID -3

// A form: `<URL:...>`.
#define URLSPOOL_FORM_WRAPPED 0

// A form: `<scheme:...>`.
#define URLSPOOL_FORM_ANGLE 1

// A form: nothing around the URL.
#define URLSPOOL_FORM_BARE 2

// A form: `URL:...` without brackets.
#define URLSPOOL_FORM_PREFIXED 3

// A form: the value of an HTML attribute.
#define URLSPOOL_FORM_HREF 4

// A form that was added after this header was written.
#define URLSPOOL_FORM_OTHER -1

// A tier: the URL satisfies RFC 1738, section 5.
#define URLSPOOL_TIER_RFC1738 0

// A tier: the URL satisfies RFC 1738 except for common departures, such as a `~` or an underscore in the host.
#define URLSPOOL_TIER_RELAXED 1

// A tier: the URL satisfies RFC 3986.
#define URLSPOOL_TIER_RFC3986 2

// A tier: the URL satisfies RFC 3987.
#define URLSPOOL_TIER_IRI 3

// A warning: the URL has a password (RFC 1738, section 6).
#define URLSPOOL_WARNING_PASSWORD 1

// A warning: the port is not the default of the scheme (RFC 1738, section 6).
#define URLSPOOL_WARNING_PORT_NOT_DEFAULT 2

// A warning: the port is not the default of the scheme, and is below 1024.
#define URLSPOOL_WARNING_PORT_RESERVED 4

// A warning: an encoded CR, LF or NUL in a URL of a line protocol. Decoded, it would begin another command.
#define URLSPOOL_WARNING_ENCODED_CONTROL 8

// A warning: the user name looks like a host, as in `http://bank.example@evil.example/`.
#define URLSPOOL_WARNING_USERINFO_LOOKS_LIKE_HOST 16

// A warning: a `%` without two hexadecimal digits.
#define URLSPOOL_WARNING_BAD_ESCAPE 32

// A warning: the host has letters of several scripts, or only letters that look like Latin ones.
#define URLSPOOL_WARNING_HOST_LOOKS_LATIN 64

// A warning: the text of an HTML link names a host in another domain than the link.
#define URLSPOOL_WARNING_SHOWN_AS_OTHER_HOST 128

// A warning: characters of an HTML attribute that no URL has, such as blanks, were encoded, as browsers do.
#define URLSPOOL_WARNING_CHARACTERS_ENCODED 256

// A warning: missing or additional slashes, or backslashes, in an HTML attribute were corrected, as browsers do.
#define URLSPOOL_WARNING_SLASHES_MENDED 512

// A warning: blanks or angle brackets around the address of a mailto link were removed.
#define URLSPOOL_WARNING_ADDRESS_TRIMMED 1024

// A warning: browsers read the host as an IPv4 address, but it is not four decimal numbers: `http://3232235521/`.
#define URLSPOOL_WARNING_HOST_IS_NUMBER 2048

// A warning: an encoded NUL, `%00`.
#define URLSPOOL_WARNING_ENCODED_NUL 4096

// A warning: a character that changes the direction of writing, so that the URL is shown in another order.
#define URLSPOOL_WARNING_BIDI_CONTROL 8192

// A warning that was added after this header was written.
#define URLSPOOL_WARNING_OTHER 2147483648

// A reason: there is no doubt.
#define URLSPOOL_REASON_NONE 0

// A reason: a hyphen at the end of a line may or may not be part of the URL.
#define URLSPOOL_REASON_HYPHEN 1

// A reason: a URL without brackets may or may not continue on the next line.
#define URLSPOOL_REASON_REJOIN 2

// A reason: there are several words between the brackets on one line.
#define URLSPOOL_REASON_TOKENS 3

// A reason: a line of a quoted URL has lost its quote marks.
#define URLSPOOL_REASON_QUOTE 4

// A reason: a character that is not ASCII follows directly.
#define URLSPOOL_REASON_SCRIPT 5

// A reason: `&amp;` in plain text may be a character reference of HTML.
#define URLSPOOL_REASON_REFERENCE 6

// A reason: the URL may or may not have been made harmless on purpose.
#define URLSPOOL_REASON_DEFANGED 7

// A reason that was added after this header was written.
#define URLSPOOL_REASON_OTHER -1

// A flag of urlspool_options: symbolic links in directories are followed.
#define URLSPOOL_FOLLOW_LINKS 1

// A kind of problem: a file could not be opened.
#define URLSPOOL_PROBLEM_OPEN 1

// A kind of problem: a symbolic link points to nothing.
#define URLSPOOL_PROBLEM_DANGLING_LINK 2

// A kind of problem: reading failed before the end of the file.
#define URLSPOOL_PROBLEM_READ 3

// A kind of problem: a directory could not be listed.
#define URLSPOOL_PROBLEM_LIST 4

// A kind of problem: the file has a format that urlspool does not read.
#define URLSPOOL_PROBLEM_UNSUPPORTED 5

// A kind of problem: the file is malformed and was not read to its end, such as a truncated gzip file.
#define URLSPOOL_PROBLEM_INCOMPLETE 6

// A kind of problem that was added after this header was written.
#define URLSPOOL_PROBLEM_OTHER -1

// A searcher: what is searched for. Programs have only pointers to it.
typedef struct urlspool urlspool;

// Some bytes of the input. This struct does not grow.
typedef struct {
  // The offset of the first byte, from 0.
  uint64_t offset;
  // The number of bytes.
  uint64_t length;
} urlspool_span;

// Another reading of the same text. This struct does not grow.
typedef struct {
  // The URL in this reading. Not NULL.
  const uint8_t *url;
  // The number of bytes of `url`.
  size_t url_length;
  // Why there is this reading: one of URLSPOOL_REASON_...
  int reason;
} urlspool_alternative;

// A URL with its place. It and everything it points to is valid until the callback returns. Later versions may add
// fields at its end: see URLSPOOL_HAS. Where it says "NULL if", the length is 0 then.
typedef struct {
  // The size in bytes of this struct in the library that is running.
  size_t size;
  // The URL as written, rejoined if it was broken; with its fragment. UTF-8. Not NULL.
  const uint8_t *url;
  // The number of bytes of `url`.
  size_t url_length;
  // The scheme as written. Not NULL. It may be `javascript`: make links only of schemes that you know.
  const uint8_t *scheme;
  // The number of bytes of `scheme`.
  size_t scheme_length;
  // The host; NULL if it has none.
  const uint8_t *host;
  // The number of bytes of `host`.
  size_t host_length;
  // The offset of its first byte in the input. If `exact` is false, the offset of the part of the message that has
  // the URL. For a compressed file, the offset in what it decompresses to.
  uint64_t offset;
  // The number of bytes of the input from its first to its last, with line breaks and encodings between.
  uint64_t length;
  // Whether offset and length are those of the URL itself.
  bool exact;
  // The pieces of the input that make up the URL, in order: one, or one for each line of a rejoined URL. Not NULL.
  const urlspool_span *pieces;
  // The number of pieces: 1 or more.
  size_t pieces_length;
  // The name of the header field that has the URL, as written; NULL if it is not in a header field.
  const uint8_t *header;
  // The number of bytes of `header`.
  size_t header_length;
  // One of URLSPOOL_FORM_...
  int form;
  // One of URLSPOOL_TIER_...
  int tier;
  // The number of quote marks that its line begins with; 0 in headers and attributes.
  size_t quote_depth;
  // How likely it is that a URL that was rejoined without brackets is the one that was meant, in percent; 0 for
  // every other URL.
  int confidence;
  // A sum of URLSPOOL_WARNING_...; 0 if there is no warning.
  uint32_t warnings;
  // Why the URL is only the likelier of several readings: one of URLSPOOL_REASON_...; URLSPOOL_REASON_NONE if there
  // is no doubt.
  int ambiguity;
  // The other readings of the same place, the likelier first; NULL if there are none.
  const urlspool_alternative *alternatives;
  // The number of alternatives.
  size_t alternatives_length;
  // The line of `offset`, from 1.
  uint64_t line;
  // The MIME part as an IMAP section number, such as `1.2`; NULL if the part is the whole message, or there is no
  // message.
  const uint8_t *part;
  // The number of bytes of `part`.
  size_t part_length;
  // The text of the link, if the URL is the `href` of an `a` element in HTML; NULL if there is none. It is in UTF-8.
  const uint8_t *shown;
  // The number of bytes of `shown`.
  size_t shown_length;
  // The URL inside a link that a service rewrote; NULL if it is not such a link. It may be rewritten itself: parse
  // it with urlspool_url_parse and see its target.
  const uint8_t *target;
  // The number of bytes of `target`.
  size_t target_length;
  // The Message-ID without its brackets, which need not be UTF-8; NULL if there is none.
  const uint8_t *message_id;
  // The number of bytes of `message_id`.
  size_t message_id_length;
  // Whether the message has a date that can be parsed.
  bool has_date;
  // The date of the message in seconds since 1970-01-01, UTC; 0 if it has none.
  int64_t date;
  // The number of the message in its file, from 1; 0 outside messages, and for urlspool_message and urlspool_text.
  uint64_t message;
  // The path of the file as given or found, `-` for standard input, or the name given to urlspool_read; NULL for
  // urlspool_message and urlspool_text.
  const uint8_t *file;
  // The number of bytes of `file`.
  size_t file_length;
  // The name in the archive, if the file is a tar or zip archive; else NULL.
  const uint8_t *member;
  // The number of bytes of `member`.
  size_t member_length;
} urlspool_hit;

// Receives a URL. Returns 0 to continue, anything else to stop. It must neither throw an exception nor call longjmp.
typedef int (*urlspool_callback)(const urlspool_hit *hit, void *context);

// Options of urlspool_paths and urlspool_read. Set `size`, and everything else to 0 for the defaults:
// `urlspool_options options = {.size = sizeof options};`
typedef struct {
  // The size in bytes of this struct in your program: `sizeof(urlspool_options)`.
  size_t size;
  // The name of the format of every input, such as "mbox", with a NUL; NULL to detect it from the content of each.
  const char *format;
  // Only messages dated at or after this time, in seconds since 1970-01-01, UTC; 0 for all. Messages without a date
  // and text outside messages are skipped.
  int64_t since;
  // Only messages dated before this time; 0 for all. See `since`.
  int64_t before;
  // The size in bytes of the largest message that is decoded, at most 1 GiB; 0 for 4 MiB. The rest of a larger
  // message is read as plain text.
  size_t max_message;
  // The number of threads that urlspool_paths starts to work ahead, at most 256. 0 and 1: it starts none.
  size_t threads;
  // 0 or URLSPOOL_FOLLOW_LINKS.
  uint32_t flags;
} urlspool_options;

// Something that could not be read. It and everything it points to is valid until the callback returns. Later
// versions may add fields at its end: see URLSPOOL_HAS.
typedef struct {
  // The size in bytes of this struct in the library that is running.
  size_t size;
  // One of URLSPOOL_PROBLEM_...
  int kind;
  // The `errno` of the operating system; 0 if there is none.
  int os_error;
  // The path of the file or directory, or the name of the stream. Not NULL.
  const uint8_t *path;
  // The number of bytes of `path`.
  size_t path_length;
  // The path and what is wrong, in one line. Not NULL. Escape it before you show it on a terminal, because a path
  // may hold control characters.
  const uint8_t *text;
  // The number of bytes of `text`.
  size_t text_length;
  // The number of files that the problem is about. It is 1, except for an archive: all members that cannot be read
  // for the same reason are one problem.
  uint64_t count;
} urlspool_problem;

// Receives a problem. Returns 0 to continue with the next file, anything else to stop. It must neither throw an
// exception nor call longjmp.
typedef int (*urlspool_problem_callback)(const urlspool_problem *problem, void *context);

// Reads up to `length` bytes into `buffer`, as read(2) does. Returns their number, 0 at the end, or -1 with `errno`
// set if reading fails. After EINTR it is called again. It must neither throw an exception nor call longjmp.
typedef ptrdiff_t (*urlspool_reader)(void *context, uint8_t *buffer, size_t length);

// A component of a URL. This struct does not grow.
typedef struct {
  // Its name, such as `host` or `addr_spec`; the same as in the output of the command. Not NULL.
  const uint8_t *name;
  // The number of bytes of `name`.
  size_t name_length;
  // Its text as written, with its escapes. Not NULL.
  const uint8_t *text;
  // The number of bytes of `text`.
  size_t text_length;
} urlspool_component;

// A parsed URL. It owns everything it points to; free it with urlspool_url_free. It does not change, so several
// threads may read it. Later versions may add fields at its end: see URLSPOOL_HAS. Components are as written, with
// their escapes. A component that is absent is NULL; one that is empty is not NULL and its length is 0.
typedef struct {
  // The size in bytes of this struct in the library that is running.
  size_t size;
  // The URL as written. UTF-8. Not NULL.
  const uint8_t *url;
  // The number of bytes of `url`.
  size_t url_length;
  // The scheme. Not NULL.
  const uint8_t *scheme;
  // The number of bytes of `scheme`.
  size_t scheme_length;
  // The user name.
  const uint8_t *user;
  // The number of bytes of `user`.
  size_t user_length;
  // The password.
  const uint8_t *password;
  // The number of bytes of `password`.
  size_t password_length;
  // The host name, the address, or the IP literal with its brackets.
  const uint8_t *host;
  // The number of bytes of `host`.
  size_t host_length;
  // The port in the URL; -1 if it has none.
  int port;
  // The port in the URL, or else the default port of the scheme; -1 if it has none.
  int port_or_default;
  // The path after the host, without the slash before it; without query and fragment. NULL if there is no slash, and
  // for schemes without a path, such as mailto: see `components`.
  const uint8_t *path;
  // The number of bytes of `path`.
  size_t path_length;
  // The query, without the `?`.
  const uint8_t *query;
  // The number of bytes of `query`.
  size_t query_length;
  // The fragment, without the `#`.
  const uint8_t *fragment;
  // The number of bytes of `fragment`.
  size_t fragment_length;
  // One of URLSPOOL_TIER_...
  int tier;
  // A sum of URLSPOOL_WARNING_...; 0 if there is no warning.
  uint32_t warnings;
  // The normal form (RFC 3986, section 6.2). Equal URLs have the same. Not NULL.
  const uint8_t *normal;
  // The number of bytes of `normal`.
  size_t normal_length;
  // The URL inside a link that a service rewrote; NULL if it is not such a link.
  const uint8_t *target;
  // The number of bytes of `target`.
  size_t target_length;
  // All components of the URL in order, without scheme and fragment. Not NULL if there are any.
  const urlspool_component *components;
  // The number of components.
  size_t components_length;
} urlspool_url;

// Why a text is not a URL. This struct does not grow.
typedef struct {
  // The offset of the first offending byte; the length of the text if something is missing at its end.
  size_t offset;
  // The name of the error, such as `port-range`; it is stable, and ends with a NUL.
  char name[32];
  // What is wrong, in English, such as `port above 65535 at offset 12 (RFC 793 3.1)`; it ends with a NUL.
  char text[128];
} urlspool_url_error;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the version, such as `0.1.0`. It ends with a NUL, and must not be freed.
const char *urlspool_version(void);

// Returns a searcher. `flags` is 0, or a sum of URLSPOOL_NO_HEADERS and so on. Returns NULL if there is no such flag,
// or if two of them contradict each other. Free it with urlspool_free.
urlspool *urlspool_new(uint32_t flags);

// Frees a searcher, once, when no thread uses it any more. Does nothing with NULL.
//
// # Safety
//
// `searcher` is NULL, or came from urlspool_new and is not freed yet.
void urlspool_free(urlspool *searcher);

// Reports the URLs of one message in memory: headers, a blank line, the body, with all encodings decoded. They come in
// the order of their places, but those in attributes of an HTML text come before those between its tags. `message` may
// be NULL if `length` is 0. A message of 4 GiB or more is read as text. Returns URLSPOOL_DONE, URLSPOOL_STOPPED or a
// negative result. Takes time and memory in proportion to the message.
//
// # Safety
//
// `searcher` came from urlspool_new, `message` points to `length` bytes that do not change meanwhile, and `callback`
// may be called with `context`.
int urlspool_message(const urlspool *searcher,
                     const uint8_t *message,
                     size_t length,
                     urlspool_callback callback,
                     void *context);

// Reports the URLs of a text that is decoded already: without headers, MIME and HTML. They come in the order of their
// places. The rest is as with urlspool_message.
//
// # Safety
//
// As with urlspool_message.
int urlspool_text(const urlspool *searcher,
                  const uint8_t *text,
                  size_t length,
                  urlspool_callback callback,
                  void *context);

// Reports the URLs of files, directories and standard input (`-`), in that order. Formats and compression are
// detected. `paths` has `length` strings that end with a NUL. `options` may be NULL. `problem` may be NULL: then only
// the result says that something was not read. Both callbacks are called in the thread that called this function.
// Returns URLSPOOL_DONE, URLSPOOL_STOPPED, URLSPOOL_INCOMPLETE or a negative result. Takes less than 64 MiB of memory
// with up to two threads, if messages are not larger than 4 MiB.
//
// # Safety
//
// `searcher` came from urlspool_new, `paths` and `options` are as described, and the callbacks may be called with
// `context`.
int urlspool_paths(const urlspool *searcher,
                   const char *const *paths,
                   size_t length,
                   const urlspool_options *options,
                   urlspool_callback callback,
                   urlspool_problem_callback problem,
                   void *context);

// Reports the URLs of a stream: a mailbox, an archive, a message or text, which may be compressed. Calls `read` until
// it returns 0. The URLs of a message are reported as soon as the message is complete. `name` is a string that ends
// with a NUL, for urlspool_hit and urlspool_problem; NULL for `-`. The rest is as with urlspool_paths. Starts no
// threads. If reading fails, that is a problem, and the result is URLSPOOL_INCOMPLETE.
//
// # Safety
//
// As with urlspool_paths; and `read` may be called with `context`, and writes at most `length` bytes to `buffer`.
int urlspool_read(const urlspool *searcher,
                  urlspool_reader read,
                  const char *name,
                  const urlspool_options *options,
                  urlspool_callback callback,
                  urlspool_problem_callback problem,
                  void *context);

// Parses a text as one URL. Nothing is trimmed: white space is an error. Copies the text. Returns NULL if it is not a
// URL, and writes the reason to `error`, which may be NULL. If `text` is NULL and `length` is not 0, the name of the
// error is `null`; after an error in urlspool itself it is `panic`. Takes time in proportion to the text.
//
// # Safety
//
// `text` points to `length` bytes that do not change meanwhile, and `error` is NULL or points to a urlspool_url_error.
urlspool_url *urlspool_url_parse(const uint8_t *text,
                                 size_t length,
                                 urlspool_url_error *error);

// Returns the URL that `reference` means in a document at the URL `base` (RFC 3986, section 5.2). Free it with
// urlspool_url_free; it does not depend on `base`. Errors are as with urlspool_url_parse; offsets are those in the
// resolved URL. If `base` is NULL the name of the error is `null`.
//
// # Safety
//
// `base` came from urlspool_url_parse or urlspool_url_join and is not freed yet. The rest is as with
// urlspool_url_parse.
urlspool_url *urlspool_url_join(const urlspool_url *base,
                                const uint8_t *reference,
                                size_t length,
                                urlspool_url_error *error);

// Frees a URL, once. Does nothing with NULL.
//
// # Safety
//
// `url` is NULL, or came from urlspool_url_parse or urlspool_url_join and is not freed yet.
void urlspool_url_free(urlspool_url *url);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* URLSPOOL_H */
