import { useLayoutEffect } from 'preact/hooks';

const questions = new Set<string>();

/** Whether the page may be left: asks each question that a part of the page has. */
export function mayLeave(): boolean {
  return [...questions].every((question) => window.confirm(question));
}

function keepPage(event: BeforeUnloadEvent): void {
  if (questions.size > 0) event.preventDefault();
}

window.addEventListener('beforeunload', keepPage);

/** While the component is shown with a question, the page is left only after it. */
export function useQuestionBeforeLeaving(question: string | undefined): void {
  // Before the browser draws or takes a key, so that no Escape comes before the question.
  useLayoutEffect(() => {
    if (question === undefined) return undefined;
    questions.add(question);
    return () => questions.delete(question);
  }, [question]);
}
