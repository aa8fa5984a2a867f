import { get } from "node:http";
import autocannon from "autocannon";
import { type Child, startChild } from "./child.ts";
import { benchKey, benchSettings } from "./settings.ts";

const operations = {
  "4.1 bundles of MTNDATA": "/api/v2/internet/data/lookup?provider=MTNDATA",
  "4.2 corporate bundles": "/api/v2/corporate-data/list",
};
const rounds = 7;
const seconds = 2;

/** Look-ups of the service against a bare server with the same bytes: requests per second, CPU per request, ratios. */
export async function lookUps(dataDirectory: string): Promise<void> {
  const duba = await startChild("duba.ts", benchSettings(dataDirectory));
  const answers: Record<string, Answer> = {};
  for (const path of Object.values(operations)) answers[path] = await answerOf(duba.url + path);
  const bare = await startChild("bare.ts", {}, JSON.stringify(answers));
  try {
    for (const [name, path] of Object.entries(operations)) {
      const results = { duba: [] as Round[], bare: [] as Round[] };
      for (let round = 0; round <= rounds; round += 1) {
        const measured = { duba: await load(duba, path), bare: await load(bare, path) };
        // The first round warms both up.
        if (round > 0) for (const who of ["duba", "bare"] as const) results[who].push(measured[who]);
      }
      const bytes = Buffer.byteLength(answers[path]!.body);
      console.log(`\n${name} (${bytes} bytes of body, ${rounds} rounds of ${seconds} s each in turn, medians)`);
      for (const who of ["duba", "bare"] as const) {
        const rate = median(results[who].map((round) => round.rate));
        const cpu = median(results[who].map((round) => round.cpu));
        console.log(
          `  ${who.padEnd(5)} ${rate.toFixed(0).padStart(7)} requests/s  ${cpu.toFixed(1).padStart(6)} µs CPU/request`,
        );
      }
      const ratio = (of: (round: Round) => number) =>
        median(results.duba.map((round, at) => of(round) / of(results.bare[at]!)));
      console.log(
        `  ratio duba/bare: requests/s ${ratio((r) => r.rate).toFixed(2)}, bare/duba CPU ${(1 / ratio((r) => r.cpu)).toFixed(2)} (aim 0.85)`,
      );
    }
    console.log(`\nresident memory of the service after it: ${((await duba.memory()) / 2 ** 20).toFixed(0)} MiB`);
  } finally {
    await Promise.all([duba.stop(), bare.stop()]);
  }
}

interface Round {
  rate: number;
  cpu: number;
}

async function load(child: Child, path: string): Promise<Round> {
  const before = await child.cpu();
  const result = await autocannon({
    url: child.url + path,
    connections: 64,
    duration: seconds,
    headers: { Authorization: `Bearer ${benchKey}` },
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refusals and ${result.errors} errors under load`);
  const used = (await child.cpu()) - before;
  return { rate: result.requests.total / result.duration, cpu: used / result.requests.total };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

interface Answer {
  headers: string[];
  body: string;
}

/** One answer with the headers that the service itself sets; Node adds the same three to both servers. */
function answerOf(url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { Authorization: `Bearer ${benchKey}` } }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const headers: string[] = [];
      const { rawHeaders } = response;
      for (let at = 0; at < rawHeaders.length; at += 2)
        if (!["Date", "Connection", "Keep-Alive"].includes(rawHeaders[at]!))
          headers.push(rawHeaders[at]!, rawHeaders[at + 1]!);
      resolve({ headers, body: Buffer.concat(chunks).toString() });
    }).on("error", reject);
  });
}
