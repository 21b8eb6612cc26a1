// Answers questions about AI SDK messages: one JSON line in, one JSON line out.
//
// {"messages", "system", "allowSystem"} -> {"complaints": ["…"]}. The SDK refuses a message of
// role system unless it is told to allow it, so the caller says what the history had.

import { createInterface } from 'node:readline'
import { generateText, modelMessageSchema, systemModelMessageSchema } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const model = new MockLanguageModelV4({
  // Every address counts as readable by the model: nothing is ever fetched.
  supportedUrls: { '*/*': [/.*/] },
  doGenerate: async () => ({
    content: [{ type: 'text', text: 'ok' }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage,
    warnings: [],
  }),
})

// Positions are left out: a complaint is compared with those of a shorter history.
function issueWords(issue) {
  const path = issue.path.filter(step => typeof step === 'string').join('.')
  return `${path}: ${issue.message}`
}

function schemaComplaints(messages) {
  const found = []
  for (const message of messages) {
    const parsed = modelMessageSchema.safeParse(message)
    if (!parsed.success) {
      const words = parsed.error.issues.map(issueWords).join('; ')
      found.push(`${message?.role}: ${words}`)
    }
  }
  return found
}

// `instructions` is a string, a system message or several; generateText itself does not look.
function systemComplaints(system) {
  const messages = system == null || typeof system === 'string' ? [] : [system].flat()
  return messages
    .map(message => systemModelMessageSchema.safeParse(message))
    .filter(parsed => !parsed.success)
    .map(parsed => `instructions: ${parsed.error.issues.map(issueWords).join('; ')}`)
}

async function promptComplaints({ messages, system, allowSystem }) {
  try {
    await generateText({
      model,
      messages,
      instructions: system ?? undefined,
      allowSystemInMessages: allowSystem,
      maxRetries: 0,
    })
    return []
  } catch (error) {
    return [`${error.name}: ${error.message.replace(/tool calls? .*/s, 'tool calls')}`]
  }
}

async function answer(question) {
  const found = [...schemaComplaints(question.messages), ...systemComplaints(question.system)]
  return found.length > 0 ? found : promptComplaints(question)
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify({ complaints: await answer(JSON.parse(line)) })}\n`)
}
