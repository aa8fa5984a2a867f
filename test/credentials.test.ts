import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { recorded } from "../src/access/access.fixture.ts";
import { revokeKey } from "../src/access/keys/keys.ts";
import { usualEngines } from "./support/engines.ts";
import { assertFailure } from "./support/failure.ts";
import { suiteService } from "./support/service.ts";
import { noticed } from "./support/until.ts";

const corporate = "/api/v2/corporate-data/list";
const lookup = "/api/v2/internet/data/lookup";
const exchange = "/api/v2/merchant/authorization";

for (const engine of usualEngines) {
  suite(`credentials on ${engine.name}`, { concurrency: true }, () => {
    const service = suiteService({ DUBA_LIMITS: "off" }, engine, {
      fixed: { limitFailedCredentials: { count: 1000, seconds: 60 } },
    });

    const corporateAs = (Authorization: string) => service.ask(corporate, { headers: { Authorization } });
    const buy = (body: object | string, headers: Record<string, string> = {}) =>
      service.ask(exchange, { method: "POST", credential: false, headers, body });
    const tokenOf = async (password: string): Promise<string> => {
      const bought = await buy({ email: "sandbox@example.com", password });
      assert.equal(bought.status, 200, bought.text);
      return bought.json.data.token.access_token;
    };

    test("a key buys a token in a body or with HTTP Basic, and both key and token work", async () => {
      const { text, id } = await service.newKey();
      const Authorization = `Basic ${Buffer.from(`${id}:${text}`).toString("base64")}`;
      const bought = await buy("", { Authorization });
      assert.equal(bought.status, 200, bought.text);
      const { access_token, expires_at } = bought.json.data.token;
      const hours = (Date.parse(`${expires_at.replace(" ", "T")}Z`) - Date.now()) / 3_600_000;
      assert.ok(hours > 23.9 && hours < 24.1, `${hours} h`);
      for (const header of [`BEARER   ${text}`, text, `Bearer ${access_token}`, access_token, await tokenOf(text)])
        assert.equal((await corporateAs(header)).status, 200);
      assertFailure(await corporateAs(Authorization), 401, "invalid_credentials", { path: corporate });
    });

    test("an expired key, and a token of an expired key, get the failure expired_credentials", async () => {
      const [key, owner] = [await service.newKey(), await service.newKey()];
      const token = await tokenOf(owner.text);
      const { db } = await service.store();
      await db.updateTable("api_key").set({ expires_at: 1 }).where("id", "in", [key.id, owner.id]).execute();
      for (const credential of [key.text, token]) {
        const response = await corporateAs(credential);
        assertFailure(response, 401, "expired_credentials", { path: corporate });
        assert.match(response.headers["www-authenticate"]!, /error="invalid_token"/);
      }
      assertFailure(await buy({ email: "sandbox@example.com", password: key.text }), 401, "expired_credentials");
    });

    test("a key that another process revokes is refused within seconds, and so are its tokens", async () => {
      const { text, id } = await service.newKey();
      const token = await tokenOf(text);
      for (const credential of [text, token]) assert.equal((await corporateAs(credential)).status, 200);
      await revokeKey(recorded((await service.store()).db), id);
      await Promise.all(
        [text, token].map(async (credential) => {
          const response = await noticed(
            () => corporateAs(credential),
            ({ status }) => status === 401,
          );
          assertFailure(response, 401, "invalid_credentials", { path: corporate });
        }),
      );
    });

    test("wrong credentials are refused wherever they are sent, and no response repeats them", async () => {
      const { text } = await service.newKey();
      const changed = [`${text.slice(0, -1)}${text.endsWith("a") ? "b" : "a"}`, text.slice(0, -3), `${text}a`];
      const alike = [text.toUpperCase(), text.replace("test", "live"), `duba_at_${"0".repeat(43)}`];
      for (const credential of [...changed, ...alike, "letmein", "Bearer Bearer", "é".repeat(8), "x".repeat(8000)])
        for (const path of [corporate, lookup]) {
          const headers = { Authorization: Buffer.from(`Bearer ${credential}`).toString("latin1") };
          const response = await service.ask(path, { headers });
          assertFailure(response, 401, "invalid_credentials", { path });
          assert.ok(!response.text.includes(credential) && !response.text.includes(text.slice(10, 40)));
        }
      assert.doesNotMatch(JSON.stringify(service.lines), /duba_(test|live|at)_[0-9A-Za-z]/);
    });
  });
}
