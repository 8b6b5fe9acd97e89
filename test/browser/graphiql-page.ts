import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** Waits until operations can be opened and run. */
export async function ready(page: Page): Promise<void> {
  await page.locator('#operations:enabled').waitFor()
  await page.locator('.graphiql-execute-button').waitFor()
}

/** Enters a key as a person does. */
export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key)
  await page.getByLabel('API key').press('Enter')
}

export const keyState = (page: Page) => page.locator('#key-state').textContent()

export const chooseOperation = (page: Page, label: string) =>
  page.getByLabel('Ready-made operations').selectOption({ label })

export const execute = (page: Page) => page.locator('.graphiql-execute-button').click()

/** Keeps a picture of the page for people to look at. */
export function keepPicture(page: Page, name: string): Promise<Buffer> {
  return page.screenshot({ path: join(tmpdir(), `freshet-graphiql-${name}.png`) })
}

export const tabTitles = (page: Page) => page.locator('[role=tab] .graphiql-tab-button').allTextContents()

/** The text of one of GraphiQL's editors: operation.graphql, variables.json or response.json. */
export function readEditor(page: Page, file: string): Promise<string> {
  return page.evaluate<string>(`${editorOf(file)}.getValue()`)
}

/** Replaces the text of an editor, as pasting would. */
export async function fillEditor(page: Page, file: string, text: string): Promise<void> {
  await page.evaluate(`${editorOf(file)}.setValue(${JSON.stringify(text)})`)
}

const editorOf = (file: string) =>
  `monaco.editor.getEditors().find((editor) => editor.getModel()?.uri.path.endsWith('${file}'))`

/** What the response pane shows. */
export async function readAnswer(page: Page): Promise<unknown> {
  const text = await readEditor(page, 'response.json')
  return text === '' ? undefined : JSON.parse(text)
}
