/** A port that reads any request and answers one thing: the file named first to JSON, the one named second to gRPC. */
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { SharedPort } from "#runtime/one_port.ts";

const [json, grpc] = process.argv.slice(2).map((file) => readFileSync(file));

const server = new SharedPort({
  handler: (request, either) => {
    const response = either as ServerResponse;
    const isGrpc = request.headers["content-type"] === "application/grpc";
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      if (isGrpc) {
        response.writeHead(200, { "content-type": "application/grpc+proto" });
        response.addTrailers({ "grpc-status": "0" });
        response.end(grpc);
        return;
      }
      JSON.parse(body.toString());
      response.writeHead(200, { "content-length": String(json?.length), "content-type": "application/json" });
      response.end(json);
    });
  },
});
process.stdout.write(`Serving http://127.0.0.1:${await server.listen(0, "127.0.0.1")} bare\n`);
