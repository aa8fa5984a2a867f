import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { suite, test } from "node:test";
import { Duba } from "../client/src/duba.ts";
import { guzzle, python } from "./support/example-languages.ts";
import { FaultyProxy, faults, isFinal } from "./support/faulty-proxy.ts";
import { sandboxKey, suiteService } from "./support/service.ts";

/** Verifications of a client in each language through a gateway with each fault: each person is charged once, and no key is lost. */

interface Trial {
  url: string;
  bvn: string;
  retries: number;
  key?: string;
}
/** What the client said: the code of its failure, or none. `key` is the idempotency key that it names. */
interface Outcome {
  code?: string;
  key: string;
}
/** Verifies once, with a new client. */
type Verify = (trial: Trial) => Promise<Outcome>;

const seconds = 1.5;

/** A program of another language takes a trial a line and prints its outcome. */
const programs: Record<string, { command: string | undefined; words: string[] }> = {
  PHP: {
    command: guzzle && "php",
    words: [
      "-r",
      // As frameworks do.
      `set_error_handler(fn ($level, $text) => throw new ErrorException($text), E_ALL & ~E_DEPRECATED);
      require '${guzzle}'; require 'docs/clients/duba.php';
      while ($line = fgets(STDIN)) {
        $trial = json_decode($line, true);
        $duba = new Duba($trial['url'], '${sandboxKey}', $trial['retries'], ${seconds});
        $person = ['bvn' => $trial['bvn'], 'phone' => '08000000017', 'amount' => '100'];
        try {
          $outcome = ['key' => $duba->verify('bvn', $person, $trial['key'] ?? null)['idempotency_key']];
        } catch (DubaFailure $failure) {
          $outcome = ['code' => $failure->errorCode, 'key' => $failure->idempotencyKey];
        }
        echo json_encode($outcome), PHP_EOL;
      }`,
    ],
  },
  Python: {
    command: python,
    words: [
      "-c",
      `import json, sys
sys.path.insert(0, "docs/clients")
sys.dont_write_bytecode = True
from duba import Duba, DubaFailure
for line in sys.stdin:
    trial = json.loads(line)
    duba = Duba(trial["url"], "${sandboxKey}", trial["retries"], ${seconds})
    person = {"bvn": trial["bvn"], "phone": "08000000017", "amount": "100"}
    try:
        outcome = {"key": duba.verify("bvn", person, trial.get("key"))["idempotency_key"]}
    except DubaFailure as failure:
        outcome = {"code": failure.code, "key": failure.idempotency_key}
    print(json.dumps(outcome), flush=True)`,
    ],
  },
};

suite("through a gateway with any fault", { concurrency: true }, () => {
  const service = suiteService({ DUBA_LIMITS: "off" });
  /** Numbers that only one trial verifies. */
  let numbers = 22_200_001_000;

  client("TypeScript", false, async () => async ({ url, bvn, retries, key }) => {
    const duba = new Duba({ url, key: sandboxKey, retries, timeout: seconds * 1000, backoff: 4 });
    const person = { bvn, phone: "08000000017", amount: "100" };
    const response = await duba.verifyBvn(person, key === undefined ? {} : { idempotencyKey: key });
    return response.success
      ? { key: response.idempotency_key }
      : { code: response.error.code, key: response.error.idempotency_key! };
  });

  for (const [name, { command, words }] of Object.entries(programs))
    client(name, !command && `${name} or its HTTP library is not installed`, async (t) => {
      const child = spawn(command!, words, { stdio: ["pipe", "pipe", "inherit"] });
      t.after(() => child.kill());
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      return async (trial) => {
        child.stdin.write(`${JSON.stringify(trial)}\n`);
        const { value = "{}" } = await lines.next();
        return JSON.parse(value);
      };
    });

  function client(name: string, skip: string | false, open: (t: { after(end: () => void): void }) => Promise<Verify>) {
    test(`the ${name} client throws nothing else, keeps the key, and is charged once`, { skip }, async (t) => {
      const verify = await open(t);
      const intents: string[] = [];
      for (const fault of faults)
        for (const retries of [0, 3]) {
          await using proxy = await FaultyProxy.open(service.url, [fault]);
          numbers += 1;
          const trial = { url: proxy.url, bvn: String(numbers), retries };
          intents.push(trial.bvn);
          const first = await verify(trial);
          const about = `${fault}, ${retries} retries: ${JSON.stringify(first)}`;
          const isAnswered = retries > 0 && !isFinal(fault);
          const isUnanswered = ["refused", "cut", "lost", "held", "late", "garbage"].includes(fault);
          if (isAnswered) assert.equal(first.code, undefined, about);
          else if (fault !== "half" && fault !== "200 no gzip")
            assert.equal(first.code, isUnanswered ? "no_answer" : "unexpected_answer", about);
          assert.ok(first.key, about);
          if (!isAnswered)
            assert.deepEqual(
              await verify({ ...trial, retries: 3, key: first.key }),
              { key: first.key },
              `${about}, then its key`,
            );
          assert.deepEqual([...new Set(proxy.passed.map(({ key }) => key))], [first.key], about);
        }
      const { db } = await service.store();
      for (const bvn of intents) {
        const rows = await db
          .selectFrom("verification")
          .select(["charged"])
          .where("subject_last4", "=", bvn.slice(-4))
          .execute();
        assert.deepEqual(rows, [{ charged: 1 }], bvn);
      }
    });
  }
});
