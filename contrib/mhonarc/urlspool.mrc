<!-- With these filters, MHonArc's pages have the links that urlspool finds: mhonarc -rcfile urlspool.mrc ... -->
<MIMEFilters>
text/plain;              urlspool_text_plain::filter; mhurlspool.pl
text/*;                  urlspool_text_plain::filter; mhurlspool.pl
message/delivery-status; urlspool_text_plain::filter; mhurlspool.pl
message/partial;         urlspool_text_plain::filter; mhurlspool.pl
</MIMEFilters>
