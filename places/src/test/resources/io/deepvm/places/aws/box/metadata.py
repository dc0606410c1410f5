"""The metadata of an instance: tokens as IMDSv2 wants them, and the spot notice when there is one."""

import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

folder = sys.argv[1]


class Metadata(BaseHTTPRequestHandler):
    def say(self, code, text):
        self.send_response(code)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def do_PUT(self):
        fresh = self.path == "/latest/api/token" and self.headers.get("X-aws-ec2-metadata-token-ttl-seconds")
        self.say(200 if fresh else 400, "token" if fresh else "")

    def do_GET(self):
        if self.headers.get("X-aws-ec2-metadata-token") != "token":
            self.say(401, "")
            return
        notice = os.path.join(folder, "notice")
        if self.path == "/latest/meta-data/spot/instance-action" and os.path.exists(notice):
            with open(notice) as file:
                self.say(200, file.read())
        else:
            self.say(404, "")

    def log_message(self, *words):
        pass


HTTPServer(("169.254.169.254", 80), Metadata).serve_forever()
