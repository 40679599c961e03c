# frozen_string_literal: true

module Fortnight
  # A length of time in whole seconds.
  class Interval
    include Comparable

    attr_reader :seconds

    def initialize(seconds)
      @seconds = Integer(seconds)
    end

    def +(other)
      self.class.new(seconds + other.seconds)
    end

    def -(other)
      self.class.new(seconds - other.seconds)
    end

    def <=>(other)
      seconds <=> other.seconds
    end

    def minutes_total
      seconds / 60
    end

    def hours_total
      seconds / 3600
    end

    def zero?
      seconds.zero?
    end
  end
end
