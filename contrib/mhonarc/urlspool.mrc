<!-- The links of urlspool in the pages of MHonArc: mhonarc -rcfile urlspool.mrc ... -->
<MIMEFilters>
text/plain;              urlspool_text_plain::filter; mhurlspool.pl
text/*;                  urlspool_text_plain::filter; mhurlspool.pl
message/delivery-status; urlspool_text_plain::filter; mhurlspool.pl
message/partial;         urlspool_text_plain::filter; mhurlspool.pl
</MIMEFilters>
