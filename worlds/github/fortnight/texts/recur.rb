# frozen_string_literal: true

module Fortnight
  # What comes again and again.
  module Recur
    MOST = 1000

    # The moments from one on, as far apart as the span says.
    def self.every(span, from:, count:)
      raise ArgumentError, "too many" if count > MOST

      Array.new(count) { |index| from + index * span.seconds }
    end

    def self.every_other(span, from:, count:)
      every(span + span, from: from, count: count)
    end

    # The first moment that is not before a given one.
    def self.next(span, from:, after:)
      steps = ((after - from).to_r / span.seconds).ceil
      from + steps * span.seconds
    end
  end
end
