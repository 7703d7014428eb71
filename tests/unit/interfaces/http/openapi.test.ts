import { expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { served } from "../../../support/dc/served.ts";
import { http1 } from "../../../support/http_client.ts";

test("/openapi.json is a document of OpenAPI 3.1 and tells every RPC", async () => {
  const at = await served({ authRequired: true });

  const { status, headers, text } = await http1(`${at.url}/openapi.json`);
  const document = JSON.parse(text);

  expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
  const validator = new Validator();
  expect(await validator.validate(document)).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
  for (const { name, output } of DatacenterService.methods) {
    const path = document.paths[`/datacenter.v1.DatacenterService/${name}`];
    expect(path.post.responses["200"].content["application/json"].schema.$ref).toEndWith(`/${output.typeName}`);
    expect([name, path.post.summary.length > 10]).toEqual([name, true]);
  }
  const rack = document.components.schemas["datacenter.v1.GetRackRequest"];
  expect([rack.required, document.components.schemas["datacenter.v1.Rack"].properties.u_height]).toEqual([
    ["code"],
    { type: "integer", minimum: -2147483648, maximum: 2147483647, description: expect.stringContaining("42") },
  ]);
  const dangling = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].filter(
    ([, name = ""]) => document.components.schemas[name] === undefined,
  );
  expect(dangling).toEqual([]);
});

test("/openapi.json describes what the routes really answer", async () => {
  const at = await served({ webhookSecret: "a-secret-of-the-feed" });
  const { paths } = JSON.parse((await http1(`${at.url}/openapi.json`)).text);

  for (const path of Object.keys(paths).filter((one) => !one.startsWith("/datacenter"))) {
    for (const method of ["GET", "POST"]) {
      const { status, body } = await fetch(at.url + path, { method });
      // A stream has no end of its own.
      await body?.cancel();
      expect([path, method, status !== 405 && status !== 404]).toEqual([
        path,
        method,
        paths[path][method.toLowerCase()] !== undefined,
      ]);
    }
  }
});

test("/openapi.json is sent once", async () => {
  const at = await served();

  const first = await http1(`${at.url}/openapi.json`);
  const again = await http1(`${at.url}/openapi.json`, { headers: { "if-none-match": String(first.headers.etag) } });

  expect([again.status, again.text]).toEqual([304, ""]);
});
