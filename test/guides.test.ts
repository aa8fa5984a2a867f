import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { namedGuides } from "../src/http/pages/guides.ts";
import { assertPrinted, blocksOf } from "./support/printed-blocks.ts";
import { suiteService } from "./support/service.ts";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;
const key = "the-key-of-whoever-reads-the-guides";

suite("the guides of the service", () => {
  const service = suiteService({ DUBA_LIMITS: "off", DUBA_BOOTSTRAP_KEY: key });
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "duba-guides-"));
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
  });

  const pageOf = (path: string) => service.ask(path, { credential: false });

  for (const page of ["start", "operations", "credentials", "idempotency", "names", "sandbox"])
    test(`the shell blocks of docs/${page}.md print the documented output`, {
      skip: !hasCurl && "curl is not installed",
    }, async () => {
      const blocks = blocksOf(readFileSync(`docs/${page}.md`, "utf8"));
      assert.notEqual(blocks.length, 0);
      for (const { script, printed } of blocks) {
        const own = script.replaceAll("http://127.0.0.1:8080", service.url);
        const environment = { ...process.env, DUBA_KEY: key };
        const shell = spawn("sh", ["-c", own], { env: environment, stdio: ["ignore", "pipe", "inherit"] });
        assertPrinted(await text(shell.stdout), printed!);
      }
    });

  test("the home page and llms.txt link every guide, and the page of errors links the guides it needs", async () => {
    const home = (await pageOf("/")).text;
    const llms = (await pageOf("/llms.txt")).text;
    for (const { path } of namedGuides) {
      assert.ok(home.includes(`href="${path}"`), path);
      assert.ok(llms.includes(`${path})`), path);
    }
    const events = (await pageOf("/docs/events")).text;
    assert.match(events, /webhook-signature/);
    const errors = (await pageOf("/docs/errors")).text;
    for (const guide of ["idempotency", "limits", "start"])
      assert.match(errors, new RegExp(`<dd><a href="/docs/${guide}"`));
  });

  test("from llms.txt, each fact can be found within two links", async () => {
    const facts: Record<string, RegExp[]> = {
      "First look-up": [/lookup\?provider=/, /needs no key/, /&quot;code&quot;/],
      "First BVN": [
        /\/api\/v2\/kyc\/verify-bvn/,
        /Authorization: Bearer \$DUBA_KEY/,
        /duba_test_/,
        /Idempotency-Key: order-/,
        /&quot;bvn&quot;:&quot;\d{11}&quot;/,
      ],
      "After a time-out": [
        /may take 20 seconds/,
        /Retry-After/,
        /verifications\?idempotency_key=/,
        /charged once at most/,
      ],
      "Webhook signature": [
        /webhook-timestamp/,
        /whsec_/,
        /hash_hmac\(&#39;sha256&#39;, &quot;\$id\.\$time\.\$body&quot;/,
        /5 minutes/,
      ],
      "Rate limit": [/600 a minute/, /<code>RateLimit<\/code>/, /429/, /Retry-After/],
      "Going live": [/duba_live_/, /Replace the key/, /00000000012/],
    };
    const read = async (link: string) => {
      const { pathname, hash } = new URL(link, service.url);
      const { status, text } = await pageOf(pathname);
      assert.equal(status, 200, link);
      // A script makes the anchors of the reference.
      if (hash !== "" && pathname !== "/docs") assert.ok(text.includes(` id="${hash.slice(1)}"`), link);
      return text.slice(text.indexOf("<main"));
    };
    const [, section = ""] = (await pageOf("/llms.txt")).text.split(/^## .*\n/m);
    const steps = [...section.matchAll(/^- \[(.+)\]\((.+)\): /gm)];
    assert.deepEqual(
      steps.map(([, name]) => name),
      Object.keys(facts),
    );
    for (const [, name, link] of steps) {
      const first = await read(link!);
      const further = new Set([...first.matchAll(/href="(\/docs[^"]*)"/g)].map(([, path]) => path!));
      const texts = [first, ...(await Promise.all([...further].map(read)))];
      for (const fact of facts[name!]!)
        assert.ok(
          texts.some((text) => fact.test(text)),
          `${name}: ${fact}`,
        );
    }
  });

  test("the guides have no unconverted Markdown, and their samples name the reader's key", async () => {
    for (const { path } of namedGuides) {
      const { text } = await pageOf(path);
      assert.doesNotMatch(text, /```|\]\(/, path);
    }
    assert.match((await pageOf("/docs/start")).text, /-H &quot;Authorization: Bearer \$DUBA_KEY&quot;/);
  });

  test("the clients to download are the repository's own, and the one in TypeScript runs", async () => {
    const page = (await pageOf("/docs/clients")).text;
    for (const name of ["duba.ts", "duba.php", "duba.py"])
      assert.ok(page.includes(`<a href="/docs/clients/${name}">${name}</a>`), name);
    for (const name of ["duba.php", "duba.py"]) {
      const response = await pageOf(`/docs/clients/${name}`);
      assert.equal(response.text, readFileSync(`docs/clients/${name}`, "utf8"));
      assert.equal(response.headers["content-disposition"], `attachment; filename="${name}"`);
    }
    writeFileSync(join(folder, "duba.ts"), (await pageOf("/docs/clients/duba.ts")).text);
    const shop = `import { Duba } from "./duba.ts";
const duba = new Duba({ url: "${service.url}", key: "${key}" });
const person = await duba.verifyBvn({ bvn: "22000000017", phone: "08000000017", amount: "100", last_name: "Onoja" });
console.log(person.success ? \`\${person.data.verification_status} \${person.match}\` : person.error.code);
`;
    writeFileSync(join(folder, "shop.ts"), shop);
    const compilerOptions = { ...{ strict: true, noEmit: true, skipLibCheck: false, types: [] }, module: "nodenext" };
    const project = {
      compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true, lib: ["es2022", "dom"] },
      files: ["shop.ts"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const checked = spawnSync(resolve("node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
    assert.equal(checked.status, 0, checked.stdout);
    const child = spawn(process.execPath, ["shop.ts"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    assert.match(await text(child.stdout), /VERIFIED last_name=\w+/);
  });

  test("the JavaScript to download can be imported, and required by a CommonJS project", async () => {
    const project = join(folder, "commonjs");
    mkdirSync(project);
    // As `npm init -y` writes it.
    writeFileSync(join(project, "package.json"), '{ "name": "shop", "version": "1.0.0", "type": "commonjs" }');
    for (const name of ["duba.mjs", "duba.cjs"])
      writeFileSync(join(project, name), (await pageOf(`/docs/clients/${name}`)).text);
    const shop = `const duba = new Duba({ url: "${service.url}", key: "${key}" });
duba.whoAmI().then(({ success }) => console.log(success, typeof verifiedEvent, typeof DubaFailure));
`;
    const names = "{ Duba, DubaFailure, verifiedEvent }";
    const starts = {
      "shop.js": `const ${names} = require("./duba.cjs");\n`,
      "shop.mjs": `import ${names} from "./duba.mjs";\n`,
      "mixed.mjs": `import ${names} from "./duba.cjs";\n`,
    };
    for (const [file, start] of Object.entries(starts)) {
      writeFileSync(join(project, file), start + shop);
      const child = spawn(process.execPath, [file], { cwd: project, stdio: ["ignore", "pipe", "inherit"] });
      assert.equal(await text(child.stdout), "true function function\n", file);
    }
  });
});
