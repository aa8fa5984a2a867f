import {
  type OperationNode,
  PostgresQueryCompiler,
  type ReferenceNode,
  type SelectAllNode,
  type SelectQueryNode,
} from "kysely";
import { allTables } from "../tables.ts";

/**
 * Writes the columns that this version knows in place of `*`. A newer version may then add columns while this one runs:
 * PostgreSQL refuses a prepared statement whose result has got another column.
 */
export class NamedColumns extends PostgresQueryCompiler {
  protected override visitSelectAll(node: SelectAllNode): void {
    // The `*` of count(*) stands for rows.
    if (this.nodeStack.at(-3)?.kind === "AggregateFunctionNode") super.visitSelectAll(node);
    else this.#nameColumns(this.#sources()[0]);
  }

  protected override visitReference(node: ReferenceNode): void {
    const { table, column } = node;
    if (column.kind === "SelectAllNode" && table) {
      const name = table.table.identifier.name;
      this.#nameColumns(
        this.#sources().find((source) => source.name === name),
        name,
      );
    } else super.visitReference(node);
  }

  #nameColumns(source: Source | undefined, prefix?: string): void {
    const columns = source?.table === undefined ? undefined : allTables[source.table as keyof typeof allTables];
    const before = prefix === undefined ? "" : `${this.#quoted(prefix)}.`;
    const all = columns === undefined ? ["*"] : Object.keys(columns).map((column) => this.#quoted(column));
    this.append(all.map((column) => before + column).join(", "));
  }

  #quoted(name: string): string {
    return `"${name}"`;
  }

  /** The tables of the innermost query, by the names that it has for them. */
  #sources(): Source[] {
    const query = this.nodeStack.findLast(({ kind }) => kind.endsWith("QueryNode"))!;
    return sourceNodes(query).map(sourceOf);
  }
}

interface Source {
  /** The alias, or the table's own name. */
  name: string | undefined;
  /** The table; undefined for a subquery, whose own columns are named. */
  table?: string | undefined;
}

function sourceNodes(query: OperationNode): OperationNode[] {
  const { from, joins, into, table } = query as Partial<SelectQueryNode> & Record<"into" | "table", OperationNode>;
  return [...(from?.froms ?? []), ...(joins ?? []).map((join) => join.table), into, table].filter(Boolean);
}

function sourceOf(node: OperationNode): Source {
  const { alias, node: aliased } = node as unknown as Partial<Record<"alias" | "node", OperationNode>>;
  const named = aliased ?? node;
  const table = named.kind === "TableNode" ? (named as TableName).table.identifier.name : undefined;
  return { name: (alias as Identifier | undefined)?.name ?? table, table };
}

type Identifier = OperationNode & { name: string };
type TableName = OperationNode & { table: { identifier: Identifier } };
