import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { usualEngines } from "./support/engines.ts";
import { assertFresh } from "./support/failure.ts";
import { type Answer, startService, type TestService } from "./support/service.ts";

const starter = (name: string) => JSON.parse(readFileSync(`data/starter/${name}.json`, "utf8"));
const sizes =
  "50mb 150mb 250mb 500mb 1gb 2gb 3gb 5gb 10gb 12gb 15gb 20gb 25gb 30gb 40gb 50gb 60gb 70gb 75gb 80gb 90gb 100gb";
const bundleMembers = ["type", "code", "description", "amount", "price", "value", "duration"];
const recordMembers = [
  "request_reference",
  "bvn_number",
  "name_on_card",
  "enrolment_branch",
  "enrolment_bank",
  "formatted_registration_date",
  "level_of_account",
  "nin",
  "watchlisted",
  "verification_status",
  "service_type",
  "personal_info",
  "residential_info",
];
const personalMembers = [
  "first_name",
  "middle_name",
  "last_name",
  "full_name",
  "email",
  "gender",
  "phone_number",
  "phone_number_2",
  "date_of_birth",
  "formatted_date_of_birth",
  "lga_of_origin",
  "state_of_origin",
  "nationality",
  "marital_status",
];

function assertSuccess(answer: Answer, members: string[]): Answer["json"] {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
  assert.deepEqual(Object.keys(answer.json), members);
  assert.equal(answer.json.success, true);
  return answer.json;
}

for (const engine of usualEngines) {
  suite(`the documented answers on ${engine.name}`, { concurrency: true }, () => {
    let service: TestService;
    before(async () => {
      service = await startService({}, engine);
    });
    after(() => service.close());

    test("4.1 lists the bundles of one provider", async () => {
      const { data } = assertSuccess(await service.ask("/api/v2/internet/data/lookup?provider=GLODATA"), [
        "success",
        "data",
      ]);
      assert.deepEqual(Object.keys(data), ["status", "error", "data", "date", "message"]);
      assert.equal(data.status, 1);
      assert.equal(data.error, false);
      assert.equal(data.message, "Data lookup successful");
      assertFresh(data.date);
      const expected = starter("data-bundles").filter(({ type }: { type: string }) => type === "GLODATA");
      assert.ok(expected.length > 0);
      assert.equal(JSON.stringify(data.data), JSON.stringify(expected));
      for (const bundle of data.data) {
        assert.deepEqual(Object.keys(bundle), bundleMembers);
        for (const value of Object.values(bundle)) assert.equal(typeof value, "string");
      }
    });

    test("4.1 lists the bundles of every provider, in provider order", async () => {
      const { data } = (await service.ask("/api/v2/internet/data/lookup")).json;
      assert.equal(JSON.stringify(data.data), JSON.stringify(starter("data-bundles")));
      const order = [...new Set(data.data.map(({ type }: { type: string }) => type))];
      assert.deepEqual(order, ["MTNDATA", "AIRTELDATA", "GLODATA", "9MOBILEDATA"]);
    });

    test("4.2 lists the 22 corporate bundles in the documented order", async () => {
      const answer = await service.ask("/api/v2/corporate-data/list");
      const { status, message, data } = assertSuccess(answer, ["success", "status", "message", "data"]);
      assert.equal(status, "success");
      assert.match(message, /^[A-Z][\w -]+$/);
      const codes = sizes.split(" ").map((size) => `corporate_data_${size}`);
      assert.equal(codes.length, 22);
      assert.deepEqual(
        data.map(({ code }: { code: string }) => code),
        codes,
      );
      for (const bundle of data) {
        assert.deepEqual(Object.keys(bundle), ["description", "code"]);
        assert.ok(bundle.description.length > 0);
      }
    });

    test("4.3 gives the verified record", async () => {
      const answer = await service.ask("/api/v2/kyc/verify-bvn", {
        method: "POST",
        body: { bvn: "22000000017", phone: "08000000017", amount: "100" },
      });
      const { message, data } = assertSuccess(answer, ["success", "message", "data"]);
      assert.equal(message, "BVN Verification Completed Successfully");
      assert.deepEqual(Object.keys(data), recordMembers);
      assert.deepEqual(Object.keys(data.personal_info), personalMembers);
      assert.deepEqual(Object.keys(data.residential_info), [
        "state_of_residence",
        "lga_of_residence",
        "residential_address",
      ]);
      assert.match(data.request_reference, /^[A-Za-z0-9]{6}\d{9}$/);
      assert.equal(data.bvn_number, "22000000017");
      assert.equal(data.verification_status, "VERIFIED");
      assert.match(data.enrolment_bank, /^\d{3}$/);
      assert.match(data.personal_info.date_of_birth, /^\d\d-[A-Z][a-z]{2}-\d{4}$/);
      assert.match(data.personal_info.formatted_date_of_birth, /^[A-Z][a-z]+ \d{1,2}, \d{4}$/);
      assert.match(data.personal_info.phone_number, /^0\d{10}$/);
      assert.match(data.personal_info.gender, /^(Male|Female)$/);
      const nullable = ["formatted_registration_date", "watchlisted", "phone_number_2"];
      for (const [name, value] of Object.entries({ ...data, ...data.personal_info, ...data.residential_info })) {
        if (name.endsWith("_info") || (nullable.includes(name) && value === null)) continue;
        assert.equal(typeof value, "string", name);
      }
    });

    test("4.4 lists the add-ons of a product and names it in the message", async () => {
      const answer = await service.ask("/api/v2/cable-tv/fetch-tv-add-ons", {
        body: { type: "dstv", productCode: "PRWE36" },
      });
      const { status, message, data } = assertSuccess(answer, ["success", "status", "message", "data"]);
      assert.equal(status, "success");
      assert.match(message, /\bPRWE36\b/);
      const expected = starter("cable-add-ons")
        .filter(({ product_code }: { product_code: string }) => product_code === "PRWE36")
        .map(({ type, product_code, add_on_product_code, name, price }: Record<string, string>) => ({
          add_on_product_code,
          product_code,
          name,
          price,
          type,
        }));
      assert.equal(expected.length, 5);
      assert.equal(JSON.stringify(data), JSON.stringify(expected));
    });

    test("4.4 gives an empty list for a product without add-ons", async () => {
      const answer = await service.ask("/api/v2/cable-tv/fetch-tv-add-ons?type=gotv&productCode=GOTVMAX");
      assert.deepEqual(answer.json.data, []);
      assert.equal(answer.json.success, true);
    });

    test("4.5 lists the four providers by id", async () => {
      const answer = await service.ask("/api/v2/internet/data/fetch-providers");
      const { billers } = assertSuccess(answer, ["success", "billers"]);
      const expected = ["MTN", "AIRTEL", "GLO", "9MOBILE"].map((name, place) => ({
        type: `${name}DATA`,
        id: place + 1,
        name,
        narration: `${name} Data`,
        image: "",
      }));
      assert.equal(JSON.stringify(billers), JSON.stringify(expected));
    });
  });
}
