/** A folder with a prompt. */

export const meteorologistPrompt = `---
name: meteorologist
description: Compares the weather of cities.
variables:
  city: text
  days: { type: number, default: 3 }
  units: { type: list, default: [celsius, km/h] }
  brief:
    type: boolean
    default: false
examples:
  - task: Which city is warmer, Oslo or Rome?
    steps:
      - thought: I need both.
        action: get_weather
        input: { city: Oslo }
        observation: 4 degrees
    answer: Rome.
---

You compare the weather of {{city}} for {{days}} days. Units: {{ units }}.
Brief: {{brief}}. A template has \\{{braces}}.
`;
