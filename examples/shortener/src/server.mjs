import { createServer } from "node:http";

const links = new Map();

export function answer(request) {
  const url = new URL(request.url, "http://localhost");
  const target = links.get(url.pathname.slice(1));
  return target === undefined ? { status: 404 } : { status: 302, location: target };
}

if (process.argv[2] === "serve") {
  createServer((request, response) => {
    const { status, location } = answer(request);
    response.writeHead(status, location === undefined ? {} : { location }).end();
  }).listen(8080, "127.0.0.1");
}
