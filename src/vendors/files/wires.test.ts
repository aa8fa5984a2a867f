import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { suite, type TestContext, test } from "node:test";
import { standInNumbers } from "../../../stand-ins/numbers.ts";
import { checkInputOf, checks } from "../../checks/index.ts";
import { numberIn } from "../../checks/kinds.fixture.ts";
import type { CheckKind } from "../../declare/check-kind.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import { attempts, emptyRecord } from "../conformance.fixture.ts";
import { text } from "../local-vendor.fixture.ts";
import { badResponse, negative, unavailable, unknown, unknownBecause } from "../ports/outcomes.ts";
import { startStandIn } from "../sandbox/start-stand-in.ts";
import { VendorClient } from "../vendor-client.ts";
import { openVendor, testVendor } from "../vendor-conformance.fixture.ts";
import { fileVendor } from "./file-vendor.ts";
import { readVendorFile } from "./read-vendor-file.ts";
import { runSamples } from "./run-samples.ts";
import type { VendorFile } from "./vendor-file.ts";

/** Reads a valid vendor file. */
function fileAt(path: string): VendorFile {
  const read = readVendorFile(readFileSync(path, "utf8"));
  assert.ok("file" in read, JSON.stringify("problems" in read && read.problems));
  return read.file;
}

const [flat, form, nested] = ["flat", "form", "nested"].map((name) =>
  fileAt(`src/vendors/files/fixtures/${name}.json`),
) as [VendorFile, VendorFile, VendorFile];
const sampleOf = ({ samples }: VendorFile, title: string) => samples.find((sample) => sample.title === title)!;
const answerOf = (file: VendorFile, title: string) => sampleOf(file, title).answer.json as Record<string, unknown>;

const person = {
  ...emptyRecord.personal_info,
  first_name: "FAISAL",
  middle_name: "EMEKA",
  last_name: "IBEKWE",
  full_name: "FAISAL EMEKA IBEKWE",
  gender: "Male",
  phone_number: "08000000017",
  date_of_birth: "20-Nov-1995",
  formatted_date_of_birth: "November 20, 1995",
};

suite("a vendor file", () => {
  test("the vendor file in docs/vendors.md is valid, and Duba reads its samples as it says", async () => {
    const [, example = ""] = /```json\n(.*?)```/s.exec(readFileSync("docs/vendors.md", "utf8")) ?? [];
    const read = readVendorFile(example);
    assert.ok("file" in read, JSON.stringify(read));
    assert.deepEqual(await runSamples(read.file), []);
  });

  for (const path of [...globSync("src/vendors/*/vendor.json"), ...globSync("src/vendors/files/fixtures/*.json")])
    test(`the file of ${path.split("/").slice(-2).join("/")} is valid, and Duba reads its samples as it says`, async () => {
      assert.deepEqual(await runSamples(fileAt(path)), []);
    });
});

testVendor({
  vendor: fileVendor(flat),
  values: (url) => ({ url, key: "key-of-ours" }),
  checks: {
    bvn: {
      assertRequest({ method, path, headers, body }, { number }) {
        assert.equal(`${method} ${path}`, `GET /people/${number}?phone=2348000000017`);
        assert.equal(headers.authorization, "Bearer key-of-ours");
        assert.equal(body, "");
      },
      good: {
        body: answerOf(flat, "somebody"),
        record: {
          ...emptyRecord,
          bvn_number: "22000000017",
          service_type: "BVN Verification without Image",
          personal_info: {
            ...person,
            first_name: "Faisal",
            middle_name: "",
            last_name: "Ibekwe",
            full_name: "Faisal Ibekwe",
          },
        },
        facts: { reference: "f-17", billed: "yes" },
      },
      notFound: { status: 404, body: { code: "nobody" }, facts: { billed: "no" } },
    },
  },
  answers: {
    "another phone": [409, { code: "phone" }, negative("phone_mismatch")],
    "an empty wallet in its own words": [400, { message: "Please top your float up" }, unavailable("no_money")],
    "nobody, in its own words": [400, { message: "no such customer" }, { ...negative("not_found"), billed: "no" }],
    "words that are only a part of others": [400, { message: "no such customers" }, unavailable("refused")],
    "a failure of its server that its file names": [503, { code: "closed" }, unavailable("out_of_service")],
    "another failure of its server": [503, { code: "nobody" }, unknownBecause("server_error")],
    "work that is not done yet": [202, {}, unknown],
    "a record without the number": [
      200,
      { ...answerOf(flat, "somebody"), id: "" },
      { ...badResponse("shape"), reference: "f-17" },
    ],
  },
  secrets: ["key-of-ours", "Faisal"],
});

testVendor({
  vendor: fileVendor(nested),
  values: (url) => ({ url, clientId: "client-of-ours", secret: "secret-of-ours", branch: "" }),
  prelude({ path, body, headers }) {
    if (path !== "/oauth/token") return undefined;
    assert.equal(body, "grant_type=client_credentials");
    assert.equal(headers.authorization, `Basic ${Buffer.from("client-of-ours:secret-of-ours").toString("base64")}`);
    return { access_token: "token-invented", expires_in: 3600 };
  },
  checks: {
    bvn: {
      assertRequest({ headers, body }, { number, reference }) {
        assert.equal(headers.authorization, "Bearer token-invented");
        assert.equal(headers["x-branch"], undefined);
        const query = { type: "BVN", value: number };
        assert.deepEqual(JSON.parse(body), {
          query,
          consent: { given: true, handle: "consent-17" },
          tags: [reference],
        });
      },
      good: {
        body: answerOf(nested, "somebody by BVN"),
        record: {
          ...emptyRecord,
          bvn_number: "22000000017",
          service_type: "BVN Verification without Image",
          personal_info: { ...person, phone_number_2: "08000000027" },
          residential_info: { ...emptyRecord.residential_info, state_of_residence: "Imo State" },
        },
        facts: { reference: "n-17", billed: "yes", balance: 120_050 },
      },
      notFound: { status: 200, body: answerOf(nested, "no BVN"), facts: { reference: "n-19", billed: "unknown" } },
      blocked: { status: 200, body: answerOf(nested, "a frozen number"), facts: { reference: "n-21", billed: "yes" } },
    },
    nin: {
      assertRequest({ path, body }, { number, reference }) {
        assert.equal(path, "/v3/search");
        assert.deepEqual(JSON.parse(body), {
          query: { type: "NIN", value: number },
          consent: { given: true },
          tags: [reference],
        });
      },
      isUnnumbered: true,
      good: {
        body: answerOf(nested, "somebody by NIN"),
        record: {
          ...emptyRecord,
          nin: "30000000017",
          service_type: "NIN Verification without Image",
          personal_info: person,
        },
        facts: { reference: "n-18", billed: "yes" },
      },
      notFound: { status: 200, body: answerOf(nested, "no NIN"), facts: { reference: "n-20", billed: "unknown" } },
    },
  },
  answers: {
    "work that waits": [200, { result: { state: "QUEUED" } }, unknown],
    "another state": [200, { result: { state: "ODD" } }, badResponse("failure")],
    "a match without a person": [200, { result: { state: "MATCH", matches: [] } }, badResponse("shape")],
    "input that it refuses": [400, { fault: { type: "input" } }, unavailable("refused")],
  },
  secrets: ["client-of-ours", "secret-of-ours", "token-invented", "FAISAL"],
});

suite("a vendor of forms with HTTP 200 for everything", () => {
  const ask = async (t: TestContext, body: string, type = "text/plain", status = 200) => {
    const values = (url: string) => ({ url, user: "user-of-ours", pin: "pin of ours&x" });
    const { upstream, local, log } = await openVendor(t, fileVendor(form), values);
    local.behaviour = text(status, type, body);
    return { outcome: await upstream.verify(attempts.nin), received: local.received, log };
  };

  test("a vendor with form requests receives a form, and its form response becomes a record", async (t) => {
    const { outcome, received } = await ask(
      t,
      "RC=0&ID=30000000017&FNAME=FAISAL&LNAME=O%27IBEKWE&TEL=8000000017&DOB=20-11-1995&TXN=t1",
    );
    assert.ok(outcome.state === "verified", JSON.stringify(outcome));
    assert.equal(numberIn(outcome.record, "nin"), "30000000017");
    assert.match(JSON.stringify(outcome.record), /O'IBEKWE/);
    assert.equal(received[0]!.headers["content-type"], "application/x-www-form-urlencoded");
    const sent = Object.fromEntries(new URLSearchParams(received[0]!.body));
    assert.deepEqual(sent, {
      cmd: "nin",
      user: "user-of-ours",
      password: "pin of ours&x",
      id: "30000000017",
      tel: "8000000017",
      ref: "abcdef000000001",
    });
  });

  test("a vendor's form response is read by its code, and a proxy's page counts as none", async (t) => {
    for (const [body, outcome] of [
      ["RC=26", { ...negative("not_found"), billed: "yes" }],
      ["RC=27", { ...negative("phone_mismatch"), billed: "yes" }],
      ["RC=51", unavailable("no_money")],
      ["RC=63", unavailable("bad_credentials")],
      ["RC=65", unavailable("rate_limited")],
      ["RC=91", unavailable("out_of_service")],
      ["RC=09", unknown],
      ["RC=77", badResponse("failure")],
      ["XX=0", badResponse("shape")],
      ["<html>a=b</html>", badResponse("unreadable")],
      ['{"RC":"0"}', badResponse("unreadable")],
    ] as const) {
      const { httpStatus: _, ...made } = (await ask(t, body)).outcome;
      assert.deepEqual(made, outcome, body);
    }
    const proxied = await ask(t, "<h1>a</h1>", "text/html", 502);
    assert.partialDeepStrictEqual(proxied.outcome, unknownBecause("server_error"));
  });
});

/** How Duba reads a stand-in's response by default. */
const usual: Readonly<Record<string, string>> = {
  found: "verified",
  large_photo: "verified",
  not_found: "not_found",
  other_phone: "verified",
  blocked: "not_found",
  no_money: "no_money",
  maintenance: "server_error",
  too_many_requests: "rate_limited",
  proxy_page: "server_error",
  other_person: "verified",
  cut: "connection_lost",
};
const own: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  flatone: { maintenance: "out_of_service" },
  nestly: { blocked: "blocked" },
  formal: { maintenance: "out_of_service" },
};

suite("the stand-in of a vendor file", () => {
  for (const file of [flat, nested, form])
    test(`the stand-in of ${file.name} answers as the file's samples do, by the last digits of a number`, async (t) => {
      const vendor = fileVendor(file);
      const standIn = await startStandIn(vendor, { port: 0, prices: { bvn: 5000, nin: 5000 } });
      const http = new VendorClient({
        timeout: 10_000,
        connections: 2,
        keepAlive: false,
        standIns: true,
        log: new RecordedLog(),
      });
      t.after(async () => {
        http.close();
        await standIn.close();
      });
      const values = Object.entries(vendor.settings).map(([member, setting]) => [member, setting.default || "any"]);
      const open = (changes: object) =>
        vendor.open({ ...Object.fromEntries(values), url: standIn.url, ...changes }, { http, log: new RecordedLog() });
      const upstream = await open({});
      for (const kind of Object.keys(file.kinds) as CheckKind[])
        for (const [digits, { outcome: wanted }] of [
          ["17", { outcome: "found" }],
          ...Object.entries(standInNumbers),
        ] as const) {
          if (wanted === "slow") continue;
          const number = checks[kind].reserved(Number(digits));
          const { claims } = checkInputOf(checks[kind], { ...checks[kind].example, phone: `080${number.slice(-8)}` });
          const attempt = {
            kind,
            number,
            claims,
            reference: "abcdef000000001",
            consentReference: "c-17",
            signal: t.signal,
          };
          const outcome = await upstream.verify(attempt);
          const said = "reason" in outcome ? outcome.reason : outcome.state;
          assert.equal(said, { ...usual, ...own[file.name] }[wanted], `${kind} ${wanted}`);
          if (outcome.state !== "verified") continue;
          const { phone_number } = (outcome.record as { personal_info: { phone_number: string } }).personal_info;
          if (wanted === "found") assert.equal(phone_number, `080${number.slice(-8)}`);
          if (wanted === "found") assert.equal(numberIn(outcome.record, kind), number);
          if (wanted === "other_phone") assert.notEqual(phone_number, `080${number.slice(-8)}`);
        }
      const secrets = Object.keys(file.settings).filter((member) => file.settings[member]!.secret);
      const locked = await open(Object.fromEntries(secrets.map((member) => [member, ""])));
      const [kind] = Object.keys(file.kinds) as [CheckKind];
      const number = checks[kind].reserved(17);
      const asked = {
        kind,
        number,
        claims: { phone: "8000000017" },
        reference: "r",
        consentReference: "c",
        signal: t.signal,
      };
      assert.partialDeepStrictEqual(await locked.verify(asked), { state: "failed", reason: "bad_credentials" });
    });
});
