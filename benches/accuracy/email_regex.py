"""Prints the matches of a regex in the headers and the decoded text of a message: what a user would write in Python."""
import email
import re
import sys

message = email.message_from_bytes(open(sys.argv[2], "rb").read())
for part in message.walk():
    texts = [str(value) for value in part.values()]
    if part.get_content_maintype() == "text":
        texts.append((part.get_payload(decode=True) or b"").decode("utf-8", "replace"))
    for text in texts:
        print(*(match[0] for match in re.finditer(sys.argv[1], text)), sep="\n")
