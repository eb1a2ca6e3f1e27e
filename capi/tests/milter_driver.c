/* Calls the callbacks of the milter in README.md, as libmilter would, and prints their results. */
#include <libmilter/mfapi.h>
#include <stdio.h>
#include <string.h>

static struct smfiDesc milter;
static void *private;

int smfi_setconn(char *socket) { return socket ? MI_SUCCESS : MI_FAILURE; }
int smfi_register(struct smfiDesc given) { return milter = given, MI_SUCCESS; }
void *smfi_getpriv(SMFICTX *context) { (void)context; return private; }
int smfi_setpriv(SMFICTX *context, void *data) { (void)context; return private = data, MI_SUCCESS; }

int smfi_setreply(SMFICTX *context, char *code, char *extended, char *text) {
    (void)context;
    return printf("%s %s %s\n", code, extended, text), MI_SUCCESS;
}

int smfi_addheader(SMFICTX *context, char *name, char *value) {
    (void)context;
    return printf("%s: %s\n", name, value), MI_SUCCESS;
}

static void send_body(const char *body) {
    milter.xxfi_envfrom(NULL, NULL);
    milter.xxfi_header(NULL, "Content-Type", "text/html;\n\tcharset=utf-8");
    milter.xxfi_eoh(NULL);
    for (; *body; body += strlen(body) < 7 ? strlen(body) : 7)
        milter.xxfi_body(NULL, (unsigned char *)body, strlen(body) < 7 ? strlen(body) : 7);
}

int smfi_main(void) {
    const char *const bodies[] = {
        "<a href='http://a.example/'>bank.com</a>\r\nhttp://b.example/\r\n",
        "<a href='http://www.LISTED.example/'>x</a> http://b.example/\r\n",
        "<a href='https://www.google.com/url?q=http://evil.example/&amp;sa=D'>x</a>\r\n",
        "http://unlisted.example/\r\n",
        "http://listed.example./\r\n",
        "<pre>&lt;http://lis-\r\nted.example/&gt;</pre>\r\n",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        send_body(bodies[i]);
        printf("%s\n", milter.xxfi_eom(NULL) == SMFIS_REJECT ? "rejected" : "accepted");
    }
    send_body("aborted");
    milter.xxfi_abort(NULL);
    milter.xxfi_close(NULL);
    return MI_SUCCESS;
}
