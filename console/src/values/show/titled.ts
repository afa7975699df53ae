// What resting on a value tells. It is made when a pointer comes, since a screen of rows has more than a hundred dates and
// writing them in full took longer than drawing them.

export const titled =
  (text: () => string) =>
  ({ currentTarget }: React.PointerEvent<HTMLElement>): void => {
    currentTarget.title = text();
  };
