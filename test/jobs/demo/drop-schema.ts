import { z } from 'zod';

/** The format of docs/ingest.md, written down once more and strictly: every drop of the demo must match it. */
const uuid = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const instant = z.iso.datetime({ offset: true });
const name = z.string().regex(/^\S(.*\S)?$/);
const url = z.url({ protocol: /^https$/ });
const engines = [
  'chatgpt',
  'claude',
  'gemini',
  'perplexity',
  'ai_overview',
  'ai_mode',
  'deepseek',
  'grok',
] as const;
const engine = z.enum(engines);

export const dropSchemas = {
  workspaces: z.strictObject({ id: uuid, name, created_at: instant }),
  brands: z.strictObject({ id: uuid, workspace_id: uuid, name, domain: name, created_at: instant }),
  competitors: z.strictObject({ id: uuid, brand_id: uuid, name }),
  prompts: z.strictObject({
    id: uuid,
    brand_id: uuid,
    text: name,
    is_active: z.boolean(),
    created_at: instant,
    tags: z.array(name),
  }),
  events: z.strictObject({
    id: uuid,
    workspace_id: uuid.nullable(),
    engine: engine.nullable(),
    date: z.iso.date(),
    text: name,
    url,
  }),
  runs: z
    .strictObject({
      id: uuid,
      brand_id: uuid,
      prompt_id: uuid,
      engine,
      cycle_date: z.iso.date(),
      ran_at: instant,
      status: z.enum(['success', 'no_answer', 'failed']),
      model: name,
      answer_url: url.nullable(),
      mentions: z.array(
        z
          .strictObject({
            name,
            subject: z.enum(['brand', 'competitor', 'other']),
            competitor_id: uuid.nullable(),
            position: z.int().min(1),
            sentiment: z.enum(['positive', 'neutral', 'negative']).nullable(),
          })
          .refine((mention) => (mention.subject === 'competitor') === (mention.competitor_id !== null)),
      ),
      citations: z.array(
        z.strictObject({
          url,
          source_type: z.enum(['ugc', 'forum', 'corporate', 'listicle', 'review', 'news', 'docs', 'other']),
        }),
      ),
    })
    .refine((run) => run.status === 'success' || run.mentions.length + run.citations.length === 0)
    .refine(
      (run) => run.citations.length === 0 || ['perplexity', 'ai_overview', 'ai_mode'].includes(run.engine),
    ),
};

export type DropRecords = {
  [Kind in keyof typeof dropSchemas]: z.infer<(typeof dropSchemas)[Kind]>[];
};
