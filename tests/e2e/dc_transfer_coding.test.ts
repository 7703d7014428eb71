import { expect, test } from "bun:test";
import { connect } from "node:net";
import { DcServer, emptyFolder } from "../support/dc_server.ts";

function statusLine(url: string, coding: string): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), "127.0.0.1", () => {
      socket.write(
        `POST /datacenter.v1.DatacenterService/GetRack HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
          `Content-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      );
    });
    socket.on("data", (chunk) => {
      text += chunk;
      const [line, ...rest] = text.split("\r\n");
      if (rest.length > 0) resolve(line ?? "");
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}

test("a Transfer-Encoding other than chunked is not implemented", async () => {
  const server = await DcServer.start(emptyFolder());
  try {
    expect(await statusLine(server.url, "gzip, chunked")).toContain(" 501 ");
    expect(await statusLine(server.url, "Chunked")).not.toContain(" 501 ");
  } finally {
    await server.end();
  }
});
