import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { accessOperations } from "../src/access/operations/index.ts";
import { catalogueOperations } from "../src/catalogue/operations/index.ts";
import { type FailureCode, failures } from "../src/declare/failures.ts";
import { failuresOf, type Operation } from "../src/declare/operation.ts";
import { downloads, guides } from "../src/http/pages/guides.ts";
import { Html, html, prose } from "../src/http/pages/html.ts";
import { registerPages } from "../src/http/pages/index.ts";
import { serving } from "../src/http/server.fixture.ts";
import { sandboxNumbers } from "../src/vendors/sandbox/numbers.ts";
import { identityOperations } from "../src/verification/operations/index.ts";
import { honesty, openapi } from "./openapi/document.ts";
import { numbersFor, provocations } from "./provoke.ts";

const operations: Operation<never>[] = [...catalogueOperations, ...identityOperations, ...accessOperations];
const pages = ["/", "/docs", "/docs/errors", ...Object.keys(guides)];
const files = [
  ...Object.keys(downloads),
  "/openapi.json",
  "/docs/reference.json",
  "/docs/scalar.js",
  "/docs/reference.js",
  "/docs/base.css",
  "/docs/docs.css",
  "/docs/reference.css",
  "/docs/copy.js",
  "/postman.json",
  "/llms.txt",
  "/favicon.ico",
];

const servePages = (table: Operation<never>[]) =>
  serving((app) => {
    app.get("/healthz", () => ({ status: 200, headers: {}, body: "" }));
    registerPages(
      app,
      {
        operations: table,
        version: "0.1.0",
        origin: "http://127.0.0.1:8080",
        publicUrl: "",
        pathPrefixes: ["/api/v2"],
      },
      { addressOf: () => "", rateLimiters: null },
    );
  });

suite("pages", () => {
  let app: Awaited<ReturnType<typeof servePages>>;
  before(async () => {
    app = await servePages(operations);
  });
  after(() => app.close());
  const bodyOf = async (url: string) => (await app.ask(url)).text;

  test("every page and file has security headers, and HEAD gives the same headers without the body", async () => {
    for (const url of [...pages, ...files, "/docs/icon.svg"]) {
      const got = await app.ask(url);
      assert.equal(got.status, 200, url);
      assert.equal(got.headers["x-content-type-options"], "nosniff", url);
      assert.equal(got.headers["referrer-policy"], "no-referrer", url);
      assert.ok(got.headers["x-request-id"], url);
      const head = await app.ask(url, {}, "HEAD");
      assert.equal(head.status, 200, url);
      assert.equal(head.text, "", url);
      for (const name of ["content-type", "content-length", "etag", "content-security-policy"])
        assert.equal(head.headers[name], got.headers[name], `${url} ${name}`);
    }
  });

  test("a page loads only files of this service, and runs no foreign script", async () => {
    for (const url of pages) {
      const { headers, text: body } = await app.ask(url);
      const policy = String(headers["content-security-policy"]);
      assert.match(policy, /^default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
      assert.match(policy, /; script-src 'self';/);
      assert.doesNotMatch(body, /<(?!a )[^>]*(?:src|href)="(?:https?:)?\/\//);
      const own = body.replace('<script src="/docs/copy.js" defer></script>', "");
      if (url !== "/docs") assert.doesNotMatch(own, /<script|<style|style="/);
    }
  });

  test("every page says that people are invented and prices historical", async () => {
    for (const url of pages) {
      const body = await bodyOf(url);
      assert.ok(body.includes(honesty.people) && body.includes(honesty.prices), url);
      assert.match(body, /<html lang="en">/);
      assert.match(body, /<footer/);
      assert.equal(body.match(/aria-current="page"/g)?.length ?? 0, /^\/docs\/clients\//.test(url) ? 0 : 1, url);
    }
  });

  test("ids on pages are unique, and links have a target", async () => {
    for (const url of pages) {
      const body = await bodyOf(url);
      const ids = idsOf(body);
      assert.deepEqual(ids, [...new Set(ids)], url);
      for (const [, link = ""] of body.matchAll(/href="([^"]*)"/g)) {
        const { pathname, hash } = new URL(link, `http://local${url}`);
        const target = await app.ask(pathname);
        assert.equal(target.status, 200, link);
        // A script creates the anchors of the reference page.
        if (hash && pathname !== "/docs") assert.ok(idsOf(target.text).includes(hash.slice(1)), link);
      }
    }
  });

  test("the start page lists every operation", async () => {
    const body = await bodyOf("/");
    const shown = [...body.matchAll(/<code class="route">(.*?)<\/code>/g)].map(([, route = ""]) =>
      route.replaceAll(/<[^>]*>/g, ""),
    );
    assert.deepEqual(shown.toSorted(), operations.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  test("every failure has its anchor, cause and cure", async () => {
    const body = await bodyOf("/docs/errors");
    for (const [code, { cause, cure }] of Object.entries(failures)) {
      assert.equal(body.split(` id="${code}"`).length, 2, code);
      assert.ok(body.includes(prose(cause).text) && body.includes(prose(cure).text), code);
    }
    assert.match(body, /<code>Authorization: Bearer &lt;api key&gt;<\/code>/);
  });

  test("every failure says which operations answer with it, and how to provoke it", async () => {
    const body = await bodyOf("/docs/errors");
    for (const code of Object.keys(failures) as FailureCode[]) {
      const [, own = ""] = body.split(` id="${code}"`);
      const [, facts = ""] = /<dt>Operations<\/dt>([\s\S]*?)<\/article>/.exec(own) ?? [];
      for (const operation of operations.filter((each) => failuresOf(each).includes(code)))
        assert.match(facts, new RegExp(`<code>${operation.id}</code>|<dd>all</dd>`), code);
      assert.match(facts, /<dt>Provoke it<\/dt><dd>.{20,}/, code);
      assert.ok(provocations[code] ?? numbersFor(code)[0], `say in provoke.ts how to get ${code}`);
    }
  });

  test("llms.txt names every operation with its path and members", async () => {
    const text = await bodyOf("/llms.txt");
    for (const { id, method, path, input } of operations) {
      const line = text.split("\n").find((line) => line.startsWith(`- ${id}: \`${method} ${path}\``));
      for (const name of Object.keys(input.properties)) assert.ok(line?.includes(name), `${id} ${name}`);
    }
    assert.ok(text.includes(honesty.people) && text.includes(honesty.prices));
  });

  test("the sandbox page lists every reserved number", async () => {
    const body = await bodyOf("/docs/sandbox");
    for (const { number } of sandboxNumbers("bvn"))
      assert.equal(body.split(`<code>${number}</code>`).length, 2, number);
  });

  test("a page that the browser has cached is answered with 304", async () => {
    for (const url of [...pages, ...files]) {
      const { headers } = await app.ask(url);
      const again = await app.ask(url, { "if-none-match": String(headers.etag) });
      assert.equal(again.status, 304, url);
      assert.equal(again.text, "", url);
    }
  });

  test("pages are compressed for a client that accepts compression", async () => {
    const plain = await app.ask("/openapi.json");
    const small = await app.ask("/openapi.json", { "accept-encoding": "gzip" });
    assert.equal(small.headers["content-encoding"], "gzip");
    assert.equal(gunzipSync(small.bytes).toString(), plain.text);
    assert.deepEqual(plain.json, JSON.parse(JSON.stringify(openapi(operations, "0.1.0"))));
  });

  test("command lines to copy contain the configured origin, whatever Host a request has", async () => {
    for (const host of ["duba.example:9000", "reboot"]) {
      const { text: body } = await app.ask("/", { host });
      assert.match(body, /curl -i &#39;http:\/\/127\.0\.0\.1:8080\/api/);
      assert.doesNotMatch(body, /duba\.example|reboot/);
    }
  });
});

test("values in pages are escaped", async () => {
  assert.equal(html`<p>${`<b a="1">'&`}</p>`.text, "<p>&lt;b a=&quot;1&quot;&gt;&#39;&amp;</p>");
  assert.equal(html`${[html`<i>`, "<i>"]}${new Html("<u>")}`.text, "<i>&lt;i&gt;<u>");
  assert.equal(prose("`<x>` at /docs.").text, '<code>&lt;x&gt;</code> at <a href="/docs">/docs</a>.');
  const hostile = "<script>alert(1)</script>";
  const app = await servePages([{ ...operations[0]!, summary: hostile, description: hostile }]);
  for (const url of pages) assert.doesNotMatch((await app.ask(url)).text, /<script>/, url);
  await app.close();
});

function idsOf(body: string): string[] {
  return [...body.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id);
}
