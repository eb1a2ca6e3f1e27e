/* A stub of libmilter's header, for systems without libmilter. It declares what the milter in README.md uses. */
#include <stdbool.h>
#include <stddef.h>
typedef struct smfi_str SMFICTX;
typedef int sfsistat;
enum { MI_SUCCESS = 0, MI_FAILURE = -1, SMFI_VERSION = 0x1000001, SMFIF_ADDHDRS = 1 };
enum { SMFIS_CONTINUE = 0, SMFIS_REJECT = 1, SMFIS_DISCARD = 2, SMFIS_ACCEPT = 3, SMFIS_TEMPFAIL = 4 };
struct smfiDesc {
    char *xxfi_name;
    int xxfi_version;
    unsigned long xxfi_flags;
    sfsistat (*xxfi_envfrom)(SMFICTX *, char **), (*xxfi_header)(SMFICTX *, char *, char *), (*xxfi_eoh)(SMFICTX *);
    sfsistat (*xxfi_body)(SMFICTX *, unsigned char *, size_t), (*xxfi_eom)(SMFICTX *);
    sfsistat (*xxfi_abort)(SMFICTX *), (*xxfi_close)(SMFICTX *);
};
int smfi_register(struct smfiDesc), smfi_main(void), smfi_setconn(char *), smfi_setpriv(SMFICTX *, void *);
void *smfi_getpriv(SMFICTX *);
int smfi_setreply(SMFICTX *, char *, char *, char *), smfi_addheader(SMFICTX *, char *, char *);
