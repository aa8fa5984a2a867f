import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { usualEngines } from "../../../test/support/engines.ts";
import { suiteService } from "../../../test/support/service.ts";
import { noticed } from "../../../test/support/until.ts";

for (const engine of usualEngines)
  suite(`find on ${engine.name}`, () => {
    const service = suiteService({ DUBA_LIMITS: "off" }, engine);
    let reference: string;
    let requestId: string;
    let keyId: string;
    const idempotencyKey = "0b2f4a1e-93c5-4d1b-8a77-446655440000";
    before(async () => {
      const { id, text } = await service.newKey({ mode: "test", label: "till of Ikeja" });
      keyId = id;
      const response = await service.verify({ key: idempotencyKey, credential: text });
      reference = response.json.data.request_reference;
      requestId = response.headers["x-request-id"] as string;
      await service.ask(`/api/v2/requests/${requestId}`, { credential: text });
    });

    const duba = (...argv: string[]) => {
      const { dataDirectory, databaseUrl } = service.settings;
      return ran(argv, { environment: { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl } });
    };
    const find = async (text: string): Promise<Record<string, string>[]> =>
      JSON.parse((await duba("find", text, "--json")).out);
    const kindsOf = async (text: string) => (await find(text)).map(({ kind, name }) => `${kind} ${name}`);

    test("find leads to a verification by reference, request id, idempotency key or last four digits", async () => {
      const found = `verification ${reference}`;
      assert.deepEqual(await kindsOf(reference), [found]);
      assert.deepEqual(await kindsOf(requestId), [found, `request ${requestId}`]);
      assert.deepEqual(await kindsOf(idempotencyKey), [found]);
      assert.deepEqual(await kindsOf("0017"), [found]);
      const [{ open }] = (await find(reference)) as [Record<string, string>];
      assert.equal(open, `duba ledger show ${reference}`);
    });

    test("find shows a key, an account, a vendor and a revision by id, name or e-mail", async () => {
      for (const text of [keyId, `duba_test_${keyId}_`, "Till of Ikeja"])
        assert.deepEqual(await kindsOf(text), [`key ${keyId}`]);
      const [{ email }] = JSON.parse((await duba("accounts", "list", "--json")).out);
      assert.deepEqual(await kindsOf(email), [`account ${email}`]);
      assert.deepEqual(await kindsOf("Dojah"), ["vendor dojah"]);
      assert.deepEqual(await kindsOf("1"), ["revision 1"]);
      const none = await duba("find", "nothing of this name");
      assert.equal(none.exitCode, 0);
      assert.match(none.out, /^Nothing found\. A request is found for as long as the log has it\./);
    });

    test('find ignores case in names of accounts and keys, and treats "%" and "_" literally', async () => {
      await service.newAccount("Ọjà_Ẹkọ");
      await service.newAccount("Oja%Eko");
      const { id } = await service.newKey({ label: "Ìbàdàn_1" });
      assert.deepEqual(await kindsOf("ọJÀ_ẹ"), ["account ọjà_ẹkọ@example.com"]);
      assert.deepEqual(await kindsOf("ja%e"), ["account oja%eko@example.com"]);
      assert.deepEqual(await kindsOf("ìBÀDÀN_1"), [`key ${id}`]);
      for (const none of ["ọ%à", "%%%", "___", "O_a%Eko", "Ìbàdàn", "\\\\\\"])
        assert.deepEqual(await kindsOf(none), [], none);
    });

    test("find shows at most a hundred accounts, and a longer search text narrows them down", async () => {
      for (let at = 0; at < 120; at += 1) await service.newAccount(`Kiosk-of-many-${at}`);
      assert.equal((await kindsOf("of-many")).length, 100);
      assert.deepEqual(await kindsOf("of-many-119"), ["account kiosk-of-many-119@example.com"]);
    });

    test("find refuses a BVN, NIN or phone number in any spelling, and never repeats it", async () => {
      const pasted = [
        "2200\u2011000\u20110017",
        "220\u200b000\u200b00017",
        "220–000–00017",
        "220/000/00017",
        "٢٢٠٠٠٠٠٠٠١٧",
      ];
      const typed = ["22000000017", "2200 000 0017", "+234 (800) 000-0017", "8000000017", "220.000.000.17"];
      for (const number of [...typed, ...pasted]) {
        const { exitCode, out, err } = await duba("find", number);
        assert.deepEqual([exitCode, out], [2, ""]);
        assert.match(err, /^Duba does not search by a BVN, a NIN or a phone number\. Give the last four digits/);
        assert.doesNotMatch(err, /2200|0017/);
      }
    });

    test("find never searches for a text like a name or a birth date, even if it is a request id", async () => {
      for (const id of ["Adaeze-Obi", "1990-01-31", "29-Jul-1982"]) {
        const { headers } = await service.verify({ headers: { "X-Request-Id": id } });
        assert.equal(headers["x-request-id"], id);
        assert.deepEqual(await find(id), []);
      }
    });

    test("ledger show lists the events of a verification in the order of time, with operators' notes", async () => {
      const kept = await duba("ledger", "note", reference, "--note", "Asked on the telephone, 08000000017");
      assert.equal(kept.exitCode, 0, kept.err);
      const { time_line } = JSON.parse((await duba("ledger", "show", reference, "--json")).out);
      const texts = time_line.map(({ what }: Record<string, string>) => what!.replace(/after \d+ ms/, "after 1 ms"));
      assert.deepEqual(texts.slice(0, 3), [`asked, request ${requestId}`, "attempt 1", "verified after 1 ms"]);
      assert.equal(texts.at(-1), "noted: Asked on the telephone, …");
    });

    test("ledger show says which response the client received for a verification without an outcome", async () => {
      const { json, headers } = await service.verify({ bvn: "00000000006" });
      const sameId = { "X-Request-Id": String(headers["x-request-id"]) };
      // Another account uses the same request id.
      const { text: credential } = await service.newKey({ account: await service.newAccount("Others"), mode: "test" });
      for (const options of [{ credential }, {}])
        await service.ask("/api/v2/internet/data/lookup?provider=NONE", { ...options, headers: sameId });
      const shown = () => duba("ledger", "show", json.error.request_reference);
      const { out } = await noticed(shown, ({ out }) => !out.includes("The request log does not say"));
      assert.match(out, /^sandbox was asked.*The client got 504 upstream_timeout\. Nothing was charged\.$/m);
      assert.match(out, / the client got 504 upstream_timeout *$/m);
      assert.doesNotMatch(out, /provider_not_found/);
      const { db } = await service.store();
      await db
        .deleteFrom("api_request")
        .where("request_id", "=", headers["x-request-id"] as string)
        .execute();
      assert.match((await shown()).out, /The request log does not say what the client got\. Nothing was charged\./);
    });
  });
