import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { type Fresh, usualEngines } from "./support/engines.ts";
import { assertFailure } from "./support/failure.ts";
import { type ServedProcess, serveInProcess } from "./support/process.ts";
import { ask, sandboxKey } from "./support/service.ts";

for (const engine of usualEngines)
  suite(`names to compare on ${engine.name}`, () => {
    let fresh: Fresh;
    let service: ServedProcess;
    const start = () =>
      serveInProcess({
        DUBA_DATA: fresh.settings.dataDirectory,
        DUBA_DATABASE_URL: fresh.settings.databaseUrl ?? "",
        DUBA_BOOTSTRAP_KEY: sandboxKey,
        DUBA_LIMITS: "off",
      });
    before(async () => {
      fresh = await engine.ready();
      service = await start();
    });
    after(async () => {
      await service.end("SIGKILL");
      for (const file of [".keyring", ".keyring.anchor"])
        rmSync(`${fresh.settings.dataDirectory}${file}`, { force: true });
      await fresh.dispose();
    });

    const verify = (kind: "bvn" | "nin", members: object, key = "", headers: Record<string, string> = {}) =>
      ask(service.port, `/api/v2/kyc/verify-${kind}`, {
        method: "POST",
        body: { [kind]: "22000000017", phone: "08000000017", amount: "100", ...members },
        headers: { ...headers, ...(key !== "" && { "Idempotency-Key": key }) },
      });

    test("a text that is not a name counts as unreadable, and does not cause a refusal", async () => {
      for (const kind of ["bvn", "nin"] as const)
        for (const odd of ["", "4711", 5, null, true, ["Ada"], { a: "Ada" }, "x".repeat(2000)]) {
          const { status, headers } = await verify(kind, { first_name: odd, last_name: odd, date_of_birth: odd });
          assert.equal(status, 200);
          assert.equal(headers["duba-match"], "first_name=unreadable, last_name=unreadable, date_of_birth=unreadable");
        }
      assert.equal((await verify("bvn", {})).headers["duba-match"], undefined);
    });

    test("a Consent-Reference that contains a name is refused before anything is stored or sent", async () => {
      const members = { first_name: "Adaeze", last_name: "Okafor", date_of_birth: "1982-07-09" };
      for (const kind of ["bvn", "nin"] as const) {
        const withConsent = (consent: string, sent: object = members) =>
          verify(kind, sent, "", { "Consent-Reference": consent });
        for (const consent of ["form-okafor-12", "AdaezeOkafor", "c-09071982"]) {
          const refused = await withConsent(consent);
          assertFailure(refused, 422, "validation_failed");
          assert.deepEqual(refused.json.error.fields, [
            {
              field: "Consent-Reference",
              message: "Consent-Reference must not contain a name or the birth date of the person.",
            },
          ]);
          assert.equal(refused.json.error.request_reference, null);
          assert.ok(!refused.text.includes(consent));
        }
        assert.equal((await withConsent("form-4711")).status, 200);
        assert.equal((await withConsent("form-okafor-12", {})).status, 200);
      }
    });

    test("a retry after the service was killed gets the same comparison of names", async () => {
      const { personal_info: person } = (await verify("bvn", {})).json.data;
      const { first_name, last_name, date_of_birth } = person;
      const members = { last_name: `${last_name[0]}.`, first_name: first_name.toLowerCase(), date_of_birth };
      const first = await verify("bvn", members, "k-1");
      assert.equal(first.headers["duba-match"], "first_name=match, last_name=near, date_of_birth=match");
      await service.end("SIGKILL");
      service = await start();
      const again = await verify("bvn", members, "k-1");
      assert.equal(again.headers["idempotency-replayed"], "true");
      assert.deepEqual([again.text, again.headers["duba-match"]], [first.text, first.headers["duba-match"]]);
    });
  });
