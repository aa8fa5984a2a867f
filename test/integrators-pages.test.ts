import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import { type CopiedRequest, curlLine, provocations } from "../pages/provoke.ts";
import { failuresOf, scopes } from "../src/declare/operation.ts";
import { everyOperation } from "../src/wire/every-operation.ts";
import { assertFailure } from "./support/failure.ts";
import { type ServiceResponse, sandboxKey, suiteService } from "./support/service.ts";

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

/** The part of a Postman collection that these tests read. */
interface Folder {
  name: string;
  item: { name: string; request: PostmanRequest; response: { name: string; code: number; body: string }[] }[];
}
interface PostmanRequest {
  method: string;
  header: { key: string; value: string }[];
  url: { raw: string };
  body?: { raw: string };
}

suite("the pages for integrators", { concurrency: true }, () => {
  const service = suiteService({ DUBA_LIMITS: "off" });

  const send = ({ method, path, credential, headers, body }: CopiedRequest): Promise<ServiceResponse> =>
    service.ask(path, {
      ...{ method: method ?? "GET", headers: headers ?? {} },
      ...(body === undefined ? {} : { body }),
      credential: credential === null ? false : (credential ?? sandboxKey),
    });

  for (const [code, provocation] of Object.entries(provocations)) {
    if (typeof provocation === "string") continue;
    test(`the pages say how to provoke ${code}`, async () => {
      let answer: ServiceResponse | undefined;
      for (const request of provocation) answer = await send(request);
      assert.equal(answer!.json.error.code, code, answer!.text);
      if (!hasCurl) return;
      const line = curlLine(service.url, provocation.at(-1)!);
      const env = { ...process.env, DUBA_KEY: sandboxKey };
      const shell = spawn("sh", ["-c", `${line} -s`], { env, stdio: ["ignore", "pipe", "inherit"] });
      assert.match(await text(shell.stdout), new RegExp(`"code":"${code}"`), line);
    });
  }

  test("the collection's requests succeed in their order, with each failure as an example", async () => {
    const collection = (await service.ask("/postman.json", { credential: false })).json;
    const folders = collection.item as Folder[];
    assert.deepEqual(
      folders.map(({ name }) => name),
      [...new Set(everyOperation.map(({ group }) => group))],
    );
    const { text: key } = await service.newKey({ scopes });
    const values: Record<string, string> = { url: "", key, email: "sandbox@example.com" };
    for (const variable of collection.variable) values[variable.key] ||= variable.key === "url" ? "" : variable.value;
    values.idempotency_key = "from-a-collection";
    const filled = (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name]!);
    const seen: string[] = [];
    for (const { name, request, response } of folders.flatMap(({ item }) => item)) {
      const { method, header, url, body } = request;
      if (header.some(({ key }) => key === "Idempotency-Key")) values.idempotency_key = `key-${seen.length}`;
      const headers = Object.fromEntries(header.map(({ key, value }) => [key, filled(value)]));
      const answer = await service.ask(filled(url.raw), {
        method,
        headers,
        credential: key,
        ...(body ? { body: filled(body.raw) } : {}),
      });
      assert.equal(answer.status, 200, `${name}: ${answer.text}`);
      const reference = answer.json.data?.request_reference;
      if (reference)
        Object.assign(values, { request_reference: reference, request_id: answer.headers["x-request-id"] });
      if (name.includes("addEventEndpoint")) values.endpoint = answer.json.data.id;
      const operation = everyOperation.find(({ id }) => name.endsWith(`(${id})`))!;
      seen.push(operation.id);
      const failing = response.filter(({ code }) => code !== 200);
      assert.deepEqual(
        failing.map(({ name }) => name),
        failuresOf(operation),
      );
      for (const { name, code, body } of failing) assert.equal(JSON.parse(body).error.code, name, String(code));
    }
    assert.deepEqual(seen.sort(), everyOperation.map(({ id }) => id).sort());
    assert.doesNotMatch(JSON.stringify(collection), new RegExp(sandboxKey));
  });

  test("a browser's wrong path is answered with a page, and everyone else's with JSON", async () => {
    for (const path of ["/nothing", "/docs/", "/api/v2/nothing?a=1"]) {
      const page = await service.ask(path, { headers: { Accept: browser }, credential: false });
      assert.equal(page.status, 404);
      assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
      assert.equal(page.headers["x-content-type-options"], "nosniff");
      assert.equal(page.headers["cache-control"], "no-store");
      assert.match(String(page.headers["content-security-policy"]), /^default-src 'none'/);
      assert.ok(page.headers["x-request-id"]);
      assert.match(page.text, /<h1>No such page<\/h1>/);
      assert.doesNotMatch(page.text, /nothing/);
      for (const accept of [
        undefined,
        "*/*",
        "application/json",
        "application/json, text/html",
        "text/html;q=0.5, */*",
      ]) {
        const headers = accept === undefined ? {} : { Accept: accept };
        assertFailure(await service.ask(path, { headers }), 404, "route_not_found");
      }
    }
    const posted = await service.ask("/nothing", { method: "POST", headers: { Accept: browser }, body: {} });
    assertFailure(posted, 404, "route_not_found");
    const wrong = await service.ask("/api/v2/internet/data/lookup?provider=X", { headers: { Accept: browser } });
    assertFailure(wrong, 404, "provider_not_found");
  });
});
