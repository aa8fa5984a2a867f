import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { signedHeaders } from "./signature.ts";

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

suite("signatures, read by the library of the specification", () => {
  const secret = newSecret();
  const body = JSON.stringify({ id: "evt_1", type: "key.revoked", data: { key: "4Zq8mPx0LtV2" } });
  const signed = (at = Date.now()) => signedHeaders({ id: "evt_1", body, at }, [secret]);
  const refuses = (headers: Record<string, string>, text = body) =>
    assert.throws(() => new Webhook(secret).verify(text, headers), { name: "WebhookVerificationError" });

  test("signatures are valid with each secret of an overlap", () => {
    const now = Date.now();
    const former = newSecret();
    const headers = signedHeaders({ id: "evt_1", body, at: now }, [secret, former]);
    for (const one of [secret, former]) assert.deepEqual(new Webhook(one).verify(body, headers), JSON.parse(body));
    assert.equal(signed(now)["webhook-signature"], new Webhook(secret).sign("evt_1", new Date(now), body));
  });

  test("60 forged or replayed deliveries are refused", () => {
    let refused = 0;
    const now = Date.now();
    const forged = (headers: Record<string, string>, text?: string) => {
      refuses(headers, text);
      refused += 1;
    };
    const good = signed(now);
    const signature = good["webhook-signature"]!;
    // 20 changes of the body, 10 of the signature, 10 of the id, 10 other secrets.
    for (let at = 0; at < 20; at += 1) {
      const other = body[at + 8] === "x" ? "y" : "x";
      forged(good, body.slice(0, at + 8) + other + body.slice(at + 9));
    }
    for (let at = 0; at < 10; at += 1) {
      const other = signature[at + 5] === "A" ? "B" : "A";
      forged({ ...good, "webhook-signature": signature.slice(0, at + 5) + other + signature.slice(at + 6) });
    }
    for (let at = 0; at < 10; at += 1) forged({ ...good, "webhook-id": `evt_${at + 2}` });
    for (let at = 0; at < 10; at += 1) forged(signedHeaders({ id: "evt_1", body, at: now }, [newSecret()]));
    // The delivery is replayed later, is dated in the future, or has another time than the signed one.
    for (const minutes of [6, 10, 60, 1_440, -60]) forged(signed(now - minutes * 60_000));
    forged({ ...signed(now - 600_000), "webhook-timestamp": good["webhook-timestamp"]! });
    for (const name of Object.keys(good)) {
      const { [name]: _, ...rest } = good;
      forged(rest);
    }
    forged({ ...good, "webhook-signature": signature.replace("v1,", "v0,") });
    assert.equal(refused, 60);
  });
});
